import type { Socket } from "node:net";
import { guarded, RequestMap } from "@gatehouse/async";
import type { GatewayError } from "@gatehouse/errors";
import type { Dispatcher } from "undici";
import { carrierBounds } from "./bounds.ts";
import { toEndHead } from "./call-end.ts";
import { CarriedExchange, lostCall } from "./carried-exchange.ts";
import { FrameWriter } from "./frame-writer.ts";
import { frameKinds, FrameReader, type ReadFrame } from "./frames.ts";

const idMax = 2 ** 32;

interface CallCarrierOptions {
  /** Called, possibly repeatedly, when no further call should be carried here. */
  readonly onOver: () => void;
  /** Called when the process asks for no further call, before it closes its port. */
  readonly onDrain: () => void;
  /** Whether the process has calls on other connections; this one is kept meanwhile for health checks. */
  readonly isNeeded: () => boolean;
}

/** The caller's side of a connection that carries calls. Each call ends by its reply, by its bounds, or with the connection. */
export class CallCarrier {
  readonly #socket: Socket;
  readonly #writer: FrameWriter;
  readonly #reader = new FrameReader();
  readonly #inFlight = new RequestMap<number, CarriedExchange>();
  readonly #options: CallCarrierOptions;
  readonly #look: NodeJS.Timeout;
  /** Runs while a stopping process still has calls on other connections. */
  #endAgain: NodeJS.Timeout | undefined;
  #lastId = 0;
  #usedMs = performance.now();
  #isOver = false;

  constructor(socket: Socket, options: CallCarrierOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#writer = new FrameWriter(socket);
    this.#look = setInterval(() => this.#endLate(), carrierBounds.lookIntervalMs).unref();
    socket.setNoDelay(true);
    const read = (chunk: Buffer) => this.#reader.read(chunk, (frame) => this.#receive(frame));
    socket.on(
      "data",
      guarded(read, () => socket.destroy()),
    );
    socket.on("error", () => socket.destroy());
    socket.once("close", () => this.#lose(lostCall()));
  }

  get isOpen(): boolean {
    const { inFlightMax, waitingBytesMax } = carrierBounds;
    if (this.#isOver || !this.#socket.writable) return false;
    return this.#inFlight.size < inFlightMax && this.#writer.waitingBytes < waitingBytesMax;
  }

  /** Like undici's `dispatch`, for a request with a complete body. @returns false for a head that is too large; nothing was sent */
  dispatch(
    request: Dispatcher.DispatchOptions,
    body: Buffer | undefined,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    const { method, path, headers } = request;
    const head = JSON.stringify([method, path, headers]);
    if (head.length > carrierBounds.headLengthMax) return false;
    const id = this.#newId();
    const exchange = new CarriedExchange({
      id,
      handler,
      timeouts: request,
      writer: this.#writer,
      onOver: () => this.#forget(id),
    });
    this.#inFlight.set(id, exchange);
    handler.onRequestStart?.(exchange, undefined);
    if (!exchange.aborted) this.#writer.push({ kind: frameKinds.call, id, head, body });
    return true;
  }

  /** Health check; any reply counts. Rejects when the signal fires, or when the connection ends. */
  async ask(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const question = { origin: "", path: "/healthz", method: "GET", headers: {} } as const;
      this.dispatch(question, undefined, {
        onRequestStart(controller) {
          signal.addEventListener("abort", () => controller.abort(late()), { once: true });
        },
        onResponseStart() {},
        onResponseData() {},
        onResponseEnd: () => resolve(),
        onResponseError: (_controller, cause) => reject(cause),
      });
    });
  }

  /** Ends a call on a separate connection, by its name. @returns whether the frame was written */
  endNamed(name: string, end: GatewayError): boolean {
    if (!this.#socket.writable) return false;
    this.#writer.push({ kind: frameKinds.end, head: toEndHead(end), body: name });
    return true;
  }

  /** Takes no further call; those in flight continue. */
  close(): void {
    this.#isOver = true;
    this.#options.onOver();
    this.#endWhenDone();
  }

  destroy(cause: Error): void {
    this.#lose(cause);
    this.#socket.destroy();
  }

  #receive(frame: ReadFrame): void {
    if (frame.kind === frameKinds.drain) {
      this.close();
      this.#options.onDrain();
    }
    // A cancelled call's reply may still arrive in parts.
    else if (frame.kind === frameKinds.reply) this.#inFlight.get(frame.id)?.receive(frame);
  }

  #forget(id: number): void {
    this.#inFlight.take(id);
    this.#usedMs = performance.now();
    this.#endWhenDone();
  }

  #endWhenDone(): void {
    if (!this.#isOver || this.#inFlight.size > 0) return;
    // In the next tick, after the frames still to be written.
    if (!this.#options.isNeeded()) process.nextTick(() => this.#socket.end());
    else this.#endAgain ??= setTimeout(() => this.#endUnneeded(), carrierBounds.neededIntervalMs).unref();
  }

  #endUnneeded(): void {
    this.#endAgain = undefined;
    this.#endWhenDone();
  }

  #endLate(): void {
    const nowMs = performance.now();
    for (const exchange of this.#inFlight.values()) exchange.endIfLate(nowMs);
    if (this.#inFlight.size > 0 || nowMs - this.#usedMs < carrierBounds.idleMs) return;
    if (!this.#options.isNeeded()) this.close();
    // A health check keeps the server from closing the connection as forgotten.
    else void this.ask(AbortSignal.timeout(carrierBounds.idleMs)).catch(() => {});
  }

  #lose(cause: Error): void {
    this.#isOver = true;
    clearInterval(this.#look);
    this.#options.onOver();
    for (const exchange of this.#inFlight.values()) exchange.fail(cause);
    // The end of the last call has started it.
    clearTimeout(this.#endAgain);
  }

  #newId(): number {
    do this.#lastId = (this.#lastId + 1) % idMax;
    while (this.#inFlight.has(this.#lastId));
    return this.#lastId;
  }
}

function late(): Error {
  return new Error("The process does not answer.");
}
