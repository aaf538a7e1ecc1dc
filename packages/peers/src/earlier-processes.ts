import { unlessAborted } from "@gatehouse/async";
import type { EarlierProcess } from "./peer.ts";
import { boundProbe } from "./probe-bound.ts";

interface Asked {
  isAsked: boolean;
  /** Consecutive queries without an answer in time. */
  lateInRow: number;
}

/** Queries the earlier processes of an address, and ends the calls of one that leaves too many unanswered. */
export class EarlierProcesses {
  readonly #lateMax: number;
  readonly #asked = new WeakMap<EarlierProcess, Asked>();

  /** @param lateMax consecutive queries that a process may leave unanswered */
  constructor(lateMax: number) {
    this.#lateMax = lateMax;
  }

  /** Queries each process without a pending query. */
  ask(processes: readonly EarlierProcess[], stopped: AbortSignal): void {
    for (const process of processes) void this.#ask(process, stopped);
  }

  async #ask(process: EarlierProcess, stopped: AbortSignal): Promise<void> {
    const asked = this.#asked.get(process) ?? { isAsked: false, lateInRow: 0 };
    if (asked.isAsked) return;
    this.#asked.set(process, asked);
    const bound = boundProbe(stopped);
    asked.isAsked = true;
    try {
      if (await unlessAborted(process.ask(bound.signal), bound.signal)) asked.lateInRow = 0;
    } catch {
      if (bound.isLate()) asked.lateInRow += 1;
    } finally {
      bound.end();
      asked.isAsked = false;
    }
    if (asked.lateInRow < this.#lateMax) return;
    asked.lateInRow = 0;
    process.abandon();
  }
}
