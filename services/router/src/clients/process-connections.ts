import { CarryingDispatcher } from "@gatehouse/http";
import type { EarlierProcess } from "@gatehouse/peers";
import type { Dispatcher, Pool } from "undici";

/** Code of the error of a call that was ended because its process is taken for gone. */
const abandonedCode = "PEER_ABANDONED";

interface ProcessConnectionsOptions {
  /** Whether small requests share a connection, where the process knows how. */
  readonly isCarrying: boolean;
  /** Opens the connections of calls. */
  readonly openPool: () => Pool;
  /** Opens the connection that calls share. */
  readonly upgrades: Pool;
  /** Called when the process says that it closes its port next; it may be repeated. */
  readonly onDrain: () => void;
}

/** The connections to one process at an address, where others listen after it. */
export class ProcessConnections implements Pick<Dispatcher, "dispatch">, EarlierProcess {
  readonly #options: ProcessConnectionsOptions;
  readonly #carrying: CarryingDispatcher;
  #pool: Pool;
  /** Pools that take no request, some of which have requests under way. */
  readonly #closing = new Set<Pool>();
  /** Ends of calls whose connections are not of a pool. */
  readonly #held = new Set<(cause: Error) => void>();
  #isStopping = false;
  #wasUsed = false;

  constructor(options: ProcessConnectionsOptions) {
    const { isCarrying, openPool, upgrades, onDrain } = options;
    this.#options = options;
    this.#pool = openPool();
    const pool: Pick<Dispatcher, "dispatch"> = {
      dispatch: (request, handler) =>
        this.#pool.dispatch(this.#isStopping ? { ...request, reset: true } : request, handler),
    };
    const isNeeded = () => this.#isBusy();
    this.#carrying = new CarryingDispatcher({ pool: () => pool, upgrades, isCarrying, isNeeded, onDrain });
  }

  /** Whether the process is about to stop. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Whether any call was sent to it. */
  get wasUsed(): boolean {
    return this.#wasUsed;
  }

  /** Whether a connection is open on which it can be asked, or calls are under way. */
  get isOpen(): boolean {
    return this.#carrying.isConnected || this.#isBusy();
  }

  dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    this.#wasUsed = true;
    return this.#carrying.dispatch(request, handler);
  }

  /** Counts a call that is sent by other means, and opens the connection for probes. @param end ends it @returns what to call at its end */
  hold(end: (cause: Error) => void): () => void {
    this.#wasUsed = true;
    // Each call counts, even where one function ends several.
    const held = (cause: Error) => end(cause);
    this.#held.add(held);
    this.#carrying.connect();
    return () => void this.#held.delete(held);
  }

  /**
   * From now on each request has a fresh connection: the process closes idle ones, and a request that is on its way then is lost
   * without a sign of whether it was read.
   */
  stop(): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    this.#closePool();
    this.#pool = this.#options.openPool();
  }

  /** Takes no further call; those under way go on to their end. */
  retire(): void {
    this.#carrying.retire();
    this.#closePool();
  }

  async ask(signal: AbortSignal): Promise<boolean> {
    return await this.#carrying.ask(signal);
  }

  /** Ends the calls under way, and takes no further one. */
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
