import type { GatewayError } from "@gatehouse/errors";
import { callNameHeader, CarryingDispatcher } from "@gatehouse/http";
import type { EarlierProcess } from "@gatehouse/peers";
import type { Dispatcher, Pool } from "undici";

/** Error code of a call that was ended because its process does not answer. */
const abandonedCode = "PEER_ABANDONED";

/** A call that is sent by other means than `dispatch`. */
export interface HeldCall {
  /** To be sent with the call. */
  readonly headers: Readonly<Record<string, string>>;
  /** Tells the process which error was sent instead of the reply; to be called before the call's connection is closed. */
  announceEnd(end: GatewayError): void;
  /** To be called when the call is over. */
  forget(): void;
}

/** Connections to one process at an address, where its successors listen later. */
export class ProcessConnections implements Pick<Dispatcher, "dispatch">, EarlierProcess {
  readonly #openPool: () => Pool;
  readonly #carrying: CarryingDispatcher;
  #pool: Pool;
  /** Pools that accept no further request; some still have requests in progress. */
  readonly #closing = new Set<Pool>();
  /** Functions that end the calls which use no pool. */
  readonly #held = new Set<(cause: Error) => void>();
  #isStopping = false;
  #wasUsed = false;

  /**
   * @param isCarrying whether small requests share a connection, where the process supports it
   * @param onDrain called when the process announces that it will close its port; may be repeated
   */
  constructor(isCarrying: boolean, openPool: () => Pool, upgrades: Pool, onDrain: () => void) {
    this.#openPool = openPool;
    this.#pool = openPool();
    const pool: Pick<Dispatcher, "dispatch"> = {
      dispatch: (request, handler) =>
        this.#pool.dispatch(this.#isStopping ? { ...request, reset: true } : request, handler),
    };
    const isNeeded = () => this.#isBusy();
    this.#carrying = new CarryingDispatcher({ pool: () => pool, upgrades, isCarrying, isNeeded, onDrain });
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  get wasUsed(): boolean {
    return this.#wasUsed;
  }

  /** Whether probes have an open connection or calls are in progress. */
  get isOpen(): boolean {
    return this.#carrying.isConnected || this.#isBusy();
  }

  dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    this.#wasUsed = true;
    return this.#carrying.dispatch(request, handler);
  }

  /** Counts a call that is sent by other means, and opens the connection for probes. @param end ends the call */
  hold(end: (cause: Error) => void): HeldCall {
    this.#wasUsed = true;
    // Wrapped, so that a function that ends several calls is counted once for each.
    const held = (cause: Error) => end(cause);
    this.#held.add(held);
    this.#carrying.connect();
    const name = this.#carrying.nextName();
    return {
      headers: { [callNameHeader]: name },
      announceEnd: (sent) => void this.#carrying.endNamed(name, sent),
      forget: () => void this.#held.delete(held),
    };
  }

  /**
   * Gives each further request a fresh connection: the process closes idle ones, and a request sent at that moment is lost
   * without a sign whether it was read.
   */
  stop(): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    this.#closePool();
    this.#pool = this.#openPool();
  }

  /** Accepts no further call; calls in progress go on. */
  retire(): void {
    this.#carrying.retire();
    this.#closePool();
  }

  /**
   * Opens the connection for probes where calls are in progress and it has failed or was lost: without one, a process that freezes
   * after it has closed its port keeps them until their bounds.
   */
  reconnect(): void {
    if (this.#isBusy()) this.#carrying.connect();
  }

  async ask(signal: AbortSignal): Promise<boolean> {
    return await this.#carrying.ask(signal);
  }

  /** Ends the calls in progress, and accepts no further one. */
  abandon(): void {
    const cause = Object.assign(new Error("The process gives no sign of life."), { code: abandonedCode });
    this.retire();
    this.#carrying.abandon(cause);
    for (const pool of this.#closing) void pool.destroy(cause);
    for (const end of this.#held) end(cause);
  }

  close(): void {
    this.#carrying.close();
    this.#closePool();
  }

  #isBusy(): boolean {
    return this.#held.size > 0 || [this.#pool, ...this.#closing].some(({ stats }) => stats.running > 0);
  }

  #closePool(): void {
    const pool = this.#pool;
    if (pool.closed) return;
    this.#closing.add(pool);
    void pool.close().finally(() => this.#closing.delete(pool));
  }
}
