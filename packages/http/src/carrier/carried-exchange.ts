import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import { carrierBounds } from "./bounds.ts";
import { endOfCall, toEndHead } from "./call-end.ts";
import type { FrameWriter } from "./frame-writer.ts";
import { frameKinds, type ReadFrame, replyFlags } from "./frames.ts";
import { OwnBytes } from "./own-bytes.ts";

type Timeouts = Pick<Dispatcher.DispatchOptions, "headersTimeout" | "bodyTimeout">;

interface CarriedExchangeOptions {
  readonly id: number;
  readonly handler: Dispatcher.DispatchHandler;
  readonly timeouts: Timeouts;
  readonly writer: FrameWriter;
  /** Called once, after the last part of the call. */
  readonly onOver: () => void;
}

/** The caller's side of one call; the controller for undici's handlers. */
export class CarriedExchange implements Dispatcher.DispatchController {
  readonly #options: CarriedExchangeOptions;
  readonly rawHeaders = null;
  readonly rawTrailers = null;
  aborted = false;
  paused = false;
  reason: Error | null = null;
  #hasBegun = false;
  #isOver = false;
  /** Time of sending, or of the latest part of the reply. */
  #activeMs = performance.now();
  /** Bytes that the handler has received and that are not acknowledged yet. */
  #takenBytes = 0;
  /** Copies small parts, for a reply of several. */
  #own: OwnBytes | undefined;

  constructor(options: CarriedExchangeOptions) {
    this.#options = options;
  }

  /** Passes a frame to the handler, whose exceptions end the call. */
  receive(frame: ReadFrame): void {
    try {
      this.#pass(frame);
    } catch (cause) {
      this.abort(cause instanceof Error ? cause : new Error(String(cause)));
    }
  }

  /** Ends the call where its reply, or the next part, is late. */
  endIfLate(nowMs: number): void {
    const { headersTimeout, bodyTimeout } = this.#options.timeouts;
    const boundMs = (this.#hasBegun ? bodyTimeout : headersTimeout) ?? 0;
    if (boundMs === 0 || this.paused || nowMs - this.#activeMs < boundMs) return;
    const code = this.#hasBegun ? "UND_ERR_BODY_TIMEOUT" : "UND_ERR_HEADERS_TIMEOUT";
    this.abort(Object.assign(new Error("The reply is late."), { code }));
  }

  abort(reason: Error): void {
    if (this.#isOver) return;
    const { writer, id } = this.#options;
    writer.push({ kind: frameKinds.cancel, id, head: toEndHead(endOfCall(reason)) });
    this.fail(reason);
  }

  /** Ends the call on this side only. */
  fail(cause: Error): void {
    if (this.#isOver) return;
    this.aborted = true;
    this.reason = cause;
    this.#end();
    this.#options.handler.onResponseError?.(this, cause);
  }

  /** Bytes in transit still arrive: at most the window. */
  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
    this.#activeMs = performance.now();
    this.#giveCredit();
  }

  #pass({ flags, head, body }: ReadFrame): void {
    const { handler } = this.#options;
    this.#activeMs = performance.now();
    if ((flags & replyFlags.head) !== 0) {
      const [status, headers] = JSON.parse(head) as [number, IncomingHttpHeaders];
      this.#hasBegun = true;
      handler.onResponseStart?.(this, status, headers, "");
    }
    const isWhole = (flags & replyFlags.head) !== 0 && (flags & replyFlags.end) !== 0;
    if (body.length > 0 && !this.#isOver) handler.onResponseData?.(this, isWhole ? body : this.#keep(body));
    if ((flags & replyFlags.broken) !== 0) this.fail(lostCall());
    else if ((flags & replyFlags.end) === 0) {
      this.#takenBytes += body.length;
      this.#giveCredit();
    } else if (!this.#isOver) {
      this.#end();
      handler.onResponseEnd?.(this, {});
    }
  }

  #keep(body: Buffer): Buffer {
    this.#own ??= new OwnBytes();
    return this.#own.keep(body);
  }

  #giveCredit(): void {
    if (this.paused || this.#isOver || this.#takenBytes < carrierBounds.creditBytesMin) return;
    this.#options.writer.push({ kind: frameKinds.credit, id: this.#options.id, head: String(this.#takenBytes) });
    this.#takenBytes = 0;
  }

  #end(): void {
    this.#isOver = true;
    this.#options.onOver();
  }
}

/**
 * Error code of a carried call whose reply is lost, with its connection or alone. The process may have worked on it, since it
 * closes such connections only after reading all calls.
 */
export const carriedCallLost = "CARRIED_CALL_LOST";

/** Error with the code {@link carriedCallLost}: the connection ended, or the server broke off, before the reply was complete. */
export function lostCall(): Error {
  return Object.assign(new Error("The reply of a carried call is lost."), { code: carriedCallLost });
}
