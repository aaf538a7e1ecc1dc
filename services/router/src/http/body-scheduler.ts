import { FairQueue } from "@gatehouse/workers";

/** Bodies from this size on are worked on one after the other while several projects send requests. */
export const turnBodyBytesMin = 256 * 1024;
/** The part of the time between two turns in which the event loop must have had nothing to do, for a project that is alone and beside others. */
const idleShareMin = { alone: 0.25, shared: 0.75 };
/** Bytes of bodies that are given a turn in a second however busy the event loop is. */
const busyBytesPerSecond = 8 * 1024 * 1024;
/** After this long the next turn comes however large the last body was. */
const turnMsMax = 500;
/** Interval between two checks whether the next turn may come, and the shortest time between two turns. */
const checkIntervalMs = 5;
/** Time for which a project counts as one that sends requests, after the last one. */
const neighbourMs = 1_000;
/** More than the bodies that a router can hold; beyond, a body takes its turn at once. */
const queueBounds = { entriesMax: 100_000, entriesPerTenantMax: 100_000 };

/** Time, and the busy part of it since an earlier reading; as `performance` gives them. */
export interface LoopClock {
  now(): number;
  eventLoopUtilization(since?: LoopUse): LoopUse;
}

/** A reading of the event loop's use: its busy time, idle time, and the busy share of both. */
interface LoopUse {
  readonly idle: number;
  readonly active: number;
  readonly utilization: number;
}

interface WaitingBody {
  readonly bytes: number;
  readonly start: () => void;
}

/**
 * Gives large bodies that have come whole their turn to be parsed and judged: one of each project in turn, and the next only when the
 * event loop has had time for others since. A project that is alone holds up its own requests only, and waits less.
 */
export class BodyScheduler {
  readonly #clock: LoopClock;
  readonly #queue = new FairQueue<WaitingBody>(queueBounds);
  #lastTurn: LoopUse;
  #lastTurnMs = Number.NEGATIVE_INFINITY;
  #lastBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  /** The two projects that sent a request last, the later one first. */
  #newest = { tenant: "", seenMs: Number.NEGATIVE_INFINITY };
  #other = { tenant: "", seenMs: Number.NEGATIVE_INFINITY };

  constructor(clock: LoopClock = performance) {
    this.#clock = clock;
    this.#lastTurn = clock.eventLoopUtilization();
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /** Records that a project has sent a request, of whatever size. */
  see(tenant: string): void {
    const seenMs = this.#clock.now();
    if (tenant !== this.#newest.tenant) {
      this.#other = this.#newest;
      this.#newest = { tenant, seenMs };
    }
    this.#newest.seenMs = seenMs;
  }

  /** Calls `start` when it is the body's turn, perhaps before this returns. */
  enter(tenant: string, bytes: number, start: () => void): void {
    const body = { bytes, start };
    if (this.#queue.size === 0 && this.#isFree()) return this.#begin(body);
    if (!this.#queue.add(tenant, body)) return start();
    this.#timer ??= setInterval(() => this.#check(), checkIntervalMs);
    return undefined;
  }

  #check(): void {
    if (this.#isFree()) {
      const body = this.#queue.take();
      if (body !== undefined) this.#begin(body);
    }
    if (this.#queue.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #begin({ bytes, start }: WaitingBody): void {
    this.#lastTurnMs = this.#clock.now();
    this.#lastTurn = this.#clock.eventLoopUtilization();
    this.#lastBytes = bytes;
    start();
  }

  #isFree(): boolean {
    const nowMs = this.#clock.now();
    const sinceMs = nowMs - this.#lastTurnMs;
    if (sinceMs < checkIntervalMs) return false;
    if (sinceMs >= Math.min(turnMsMax, (this.#lastBytes / busyBytesPerSecond) * 1_000)) return true;
    const isAlone = nowMs - this.#other.seenMs > neighbourMs;
    const idleShare = 1 - this.#clock.eventLoopUtilization(this.#lastTurn).utilization;
    return idleShare >= (isAlone ? idleShareMin.alone : idleShareMin.shared);
  }
}
