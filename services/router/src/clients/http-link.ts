import type { EarlierProcess, PeerConnection, ProbeResult } from "@gatehouse/peers";
import type { Dispatcher, Pool } from "undici";
import { type HeldCall, ProcessConnections } from "./process-connections.ts";

/** Connections to one address of a service, whose processes replace one another there. */
export interface ServiceLink extends PeerConnection {
  readonly origin: string;
  readonly dispatcher: Pick<Dispatcher, "dispatch">;
  /** Counts a call that is sent by other means than `dispatch` until it is forgotten. @param end ends the call */
  hold(end: (cause: Error) => void): HeldCall;
}

/**
 * Link to an address over HTTP. A stopping process closes its port and still answers its open calls while its successor may
 * already listen there, so connections opened from then on are kept in a separate set. Separating where no process has changed
 * only costs new connections.
 */
export class HttpLink implements ServiceLink {
  readonly origin: string;
  readonly dispatcher: Pick<Dispatcher, "dispatch">;
  readonly #isCarrying: boolean;
  readonly #openPool: () => Pool;
  readonly #probes: Pool;
  readonly #earlier = new Set<ProcessConnections>();
  #current: ProcessConnections;
  /**
   * Whether the current connections were opened after the process announced that it closes its port; a probe decides which
   * process they reach.
   */
  #isBetween = false;

  /**
   * @param isCarrying whether small requests share a connection, where the process supports it
   * @param probes separate connections for probes, since calls may occupy all others
   */
  constructor(origin: string, isCarrying: boolean, openPool: () => Pool, probes: Pool) {
    this.origin = origin;
    this.#isCarrying = isCarrying;
    this.#openPool = openPool;
    this.#probes = probes;
    this.#current = this.#open();
    this.dispatcher = { dispatch: (request, handler) => this.#current.dispatch(request, handler) };
  }

  hold(end: (cause: Error) => void): HeldCall {
    return this.#current.hold(end);
  }

  async probe(signal: AbortSignal): Promise<ProbeResult> {
    this.#current.reconnect();
    const state = await this.#probe(signal);
    if (state === "stopping") this.#current.stop();
    // A stopping process never resumes, so any other state is that of its successor.
    else if (this.#current.isStopping) this.#turnTo(this.#open());
    return state;
  }

  earlier(): readonly EarlierProcess[] {
    for (const process of this.#earlier) {
      if (process.isOpen) continue;
      this.#earlier.delete(process);
      process.close();
    }
    return [...this.#earlier];
  }

  abandon(): void {
    const process = this.#current;
    this.#turnTo(this.#open());
    if (process.isStopping) this.#current.stop();
    process.abandon();
  }

  close(): void {
    for (const process of [this.#current, ...this.#earlier]) process.close();
    void this.#probes.close();
  }

  async #probe(signal: AbortSignal): Promise<ProbeResult> {
    try {
      return await probe(this.#probes, signal);
    } catch (err) {
      // An aborted probe proves nothing. Where nothing listens, the next process to listen is another one.
      if (!signal.aborted && this.#current.wasUsed) this.#turnTo(this.#open());
      throw err;
    }
  }

  #open(): ProcessConnections {
    const opened: ProcessConnections = new ProcessConnections(this.#isCarrying, this.#openPool, this.#probes, () =>
      this.#leave(opened),
    );
    return opened;
  }

  #leave(process: ProcessConnections): void {
    if (process !== this.#current || this.#isBetween) return;
    this.#turnTo(this.#open());
    this.#current.stop();
    this.#isBetween = true;
  }

  #turnTo(next: ProcessConnections): void {
    this.#earlier.add(this.#current);
    this.#current.retire();
    this.#current = next;
    this.#isBetween = false;
  }
}

/** Asks `/healthz` whether the process serves or stops; any answer except that of a starting process means that it serves. */
async function probe(pool: Dispatcher, signal: AbortSignal): Promise<ProbeResult> {
  const { body } = await pool.request({ path: "/healthz", method: "GET", signal });
  const text = await body.text();
  // Counts as away: requests wait here, where another process can take them.
  if (text.includes('"starting":true')) throw new Error("The process is starting.");
  return text.includes('"stopping":true') ? "stopping" : "serving";
}
