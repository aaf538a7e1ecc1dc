import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import type { GatewayError } from "@gatehouse/errors";
import type { Dispatcher } from "undici";
import { carrierBounds, carrierProtocol } from "./bounds.ts";
import { CallCarrier } from "./call-carrier.ts";
import { NamedCall } from "./named-call.ts";
import { callNameHeader } from "./named-calls.ts";

/** A shared connection must not inherit the context of the call that opened it. */
const outsideOfCalls = AsyncLocalStorage.snapshot();

interface CarryingOptions {
  /** Connections of requests that are not carried. */
  readonly pool: () => Pick<Dispatcher, "dispatch">;
  readonly upgrades: Pick<Dispatcher, "upgrade">;
  /** Whether requests are carried; if false, the connection serves health checks alone. */
  readonly isCarrying?: boolean;
  /** Whether the process has calls on other connections; the shared one is kept meanwhile. */
  readonly isNeeded?: () => boolean;
  /** Called, possibly repeatedly, when the process asks for no further call, before it closes its port. */
  readonly onDrain?: () => void;
}

/**
 * Sends requests with small, complete bodies to one process over one shared connection: frames cost less than HTTP, and those of
 * one turn of the event loop go out in one write. All other requests go through the pool, as do all while there is no shared
 * connection, e.g. to a process of a version without frames. Requests through the pool have a name, by which the shared connection
 * ends them.
 */
export class CarryingDispatcher implements Pick<Dispatcher, "dispatch"> {
  readonly #options: CarryingOptions;
  /** The connection that takes calls. */
  #carrier: CallCarrier | undefined;
  /** All open connections, including those that only finish calls in flight. */
  readonly #carriers = new Set<CallCarrier>();
  /** Random, since a name is all that ending its call takes. */
  readonly #id = randomUUID();
  #lastCall = 0;
  #openAfterMs = Number.NEGATIVE_INFINITY;
  #isRetired = false;
  #isClosed = false;

  constructor(options: CarryingOptions) {
    this.#options = options;
  }

  dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const { isCarrying = true } = this.#options;
    const { body, upgrade } = request;
    this.connect();
    const isSmall = body === null || (Buffer.isBuffer(body) && body.length <= carrierBounds.requestBytesMax);
    if (!isCarrying || !isSmall || typeof upgrade === "string") return this.#dispatchApart(request, handler);
    if (this.#carrier?.isOpen === true && this.#carrier.dispatch(request, body ?? undefined, handler)) return true;
    return this.#dispatchApart(request, handler);
  }

  /** A name for a call on a separate connection, to be sent as {@link callNameHeader}. */
  nextName(): string {
    this.#lastCall += 1;
    return `${this.#id}.${this.#lastCall}`;
  }

  /** Ends a call on a separate connection with the error that was sent instead of its reply. @returns whether it was announced */
  endNamed(name: string, end: GatewayError): boolean {
    return [...this.#carriers].some((carrier) => carrier.endNamed(name, end));
  }

  get isConnected(): boolean {
    return this.#carriers.size > 0;
  }

  /** Opens the shared connection, where none takes calls. */
  connect(): void {
    if (this.#carrier === undefined && !this.#isRetired) this.#open();
  }

  /**
   * Health check on open connections, for a process that accepts no new ones. Rejects when the signal fires.
   * @returns whether it has answered; false where there is no connection, or it ends.
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

  abandon(cause: Error): void {
    for (const carrier of this.#carriers) carrier.destroy(cause);
  }

  /** Takes no further call: the shared connection is closed when the calls under way, on it and on others, have ended. */
  retire(): void {
    this.#isRetired = true;
    for (const carrier of this.#carriers) carrier.close();
  }

  /** As `retire`, without waiting for the calls on other connections. */
  close(): void {
    this.#isClosed = true;
    this.retire();
  }

  #dispatchApart(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const name = this.nextName();
    // `forward` has no other form of headers.
    const headers = request.headers as Readonly<Record<string, string | string[]>>;
    const named = { ...request, headers: { ...headers, [callNameHeader]: name } };
    const call = new NamedCall(handler, (end) => this.endNamed(name, end));
    return this.#options.pool().dispatch(named, call);
  }

  #open(): void {
    const nowMs = performance.now();
    if (nowMs < this.#openAfterMs) return;
    this.#openAfterMs = nowMs + carrierBounds.openIntervalMs;
    outsideOfCalls(() => {
      // A process of an earlier version answers this with its health.
      const signal = AbortSignal.timeout(carrierBounds.openIntervalMs);
      this.#options.upgrades.upgrade({ path: "/healthz", protocol: carrierProtocol, signal }).then(
        // Undici returns the connection itself.
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
