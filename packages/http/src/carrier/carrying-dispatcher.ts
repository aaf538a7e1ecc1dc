import { AsyncLocalStorage } from "node:async_hooks";
import type { Socket } from "node:net";
import type { Dispatcher } from "undici";
import { carrierBounds, carrierProtocol } from "./bounds.ts";
import { CallCarrier } from "./call-carrier.ts";

/** A connection is of all calls, and not of the one that had it opened. */
const outsideOfCalls = AsyncLocalStorage.snapshot();

interface CarryingOptions {
  /** The connections of requests that are not carried. */
  readonly pool: () => Pick<Dispatcher, "dispatch">;
  /** Opens the connection that carries the others. */
  readonly upgrades: Pick<Dispatcher, "upgrade">;
  /** Whether requests are carried; where none is, the connection is there to ask the process on. */
  readonly isCarrying?: boolean;
  /** Whether the process has calls on other connections, during which that one is kept. */
  readonly isNeeded?: () => boolean;
  /** Called when the process asks for no further call: it stops, and closes its port next. It may be repeated. */
  readonly onDrain?: () => void;
}

/**
 * Sends the requests to one process over one connection, where their bodies are small and there whole: reading and writing of HTTP costs
 * more than the frames of `packages/http/src/carrier`, and those of one turn of the event loop go out in one write. All else, and
 * everything while there is no such connection, goes through the pool: so it is with a process of a version that does not know frames.
 */
export class CarryingDispatcher implements Pick<Dispatcher, "dispatch"> {
  readonly #options: CarryingOptions;
  /** The one that takes calls. */
  #carrier: CallCarrier | undefined;
  /** All that are open: one that takes no further call has others in flight. */
  readonly #carriers = new Set<CallCarrier>();
  #openAfterMs = Number.NEGATIVE_INFINITY;
  #isRetired = false;
  #isClosed = false;

  constructor(options: CarryingOptions) {
    this.#options = options;
  }

  dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const { isCarrying = true, pool } = this.#options;
    const { body, upgrade } = request;
    this.connect();
    const isSmall = body === null || (Buffer.isBuffer(body) && body.length <= carrierBounds.requestBytesMax);
    if (!isCarrying || !isSmall || typeof upgrade === "string") return pool().dispatch(request, handler);
    if (this.#carrier?.isOpen === true && this.#carrier.dispatch(request, body ?? undefined, handler)) return true;
    return pool().dispatch(request, handler);
  }

  /** Whether it has a connection. */
  get isConnected(): boolean {
    return this.#carriers.size > 0;
  }

  /** Opens the connection, where there is none that takes calls. */
  connect(): void {
    if (this.#carrier === undefined && !this.#isRetired) this.#open();
  }

  /**
   * Asks the process on connections that are open already, where it takes no new ones. Rejects when the signal fires.
   * @returns whether it has answered; false where there is no such connection, or where it ends.
   */
  async ask(signal: AbortSignal): Promise<boolean> {
    const answers = Array.from(this.#carriers, async (carrier) => await carrier.ask(signal));
    return await Promise.any(answers).then(
      () => true,
      () => {
        signal.throwIfAborted();
        return false;
      },
    );
  }

  /** Ends the calls in flight that are carried. */
  abandon(cause: Error): void {
    for (const carrier of this.#carriers) carrier.destroy(cause);
  }

  /** Takes no further call: the shared connection is closed when the calls under way, on it and on others, have ended. */
  retire(): void {
    this.#isRetired = true;
    for (const carrier of this.#carriers) carrier.close();
  }

  /** As `retire`, without regard to the calls on other connections. */
  close(): void {
    this.#isClosed = true;
    this.retire();
  }

  #open(): void {
    const nowMs = performance.now();
    if (nowMs < this.#openAfterMs) return;
    this.#openAfterMs = nowMs + carrierBounds.openIntervalMs;
    outsideOfCalls(() => {
      // A process of an earlier version answers this with its health.
      const signal = AbortSignal.timeout(carrierBounds.openIntervalMs);
      this.#options.upgrades.upgrade({ path: "/healthz", protocol: carrierProtocol, signal }).then(
        // Undici hands out the connection itself.
        ({ socket }) => this.#take(socket as Socket),
        () => {},
      );
    });
  }

  #take(socket: Socket): void {
    const carrier = new CallCarrier(socket, {
      onOver: () => {
        if (this.#carrier === carrier) this.#carrier = undefined;
      },
      onDrain: () => this.#options.onDrain?.(),
      isNeeded: () => !this.#isClosed && this.#options.isNeeded?.() === true,
    });
    this.#carriers.add(carrier);
    socket.once("close", () => this.#carriers.delete(carrier));
    if (this.#isRetired || this.#carrier !== undefined) carrier.close();
    else this.#carrier = carrier;
  }
}
