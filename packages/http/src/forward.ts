import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { PassThrough, type Readable } from "node:stream";
import { inCheckPhase } from "@gatehouse/async";
import { type GatewayError, replyBrokenOff, serviceUnavailable } from "@gatehouse/errors";
import type { Dispatcher } from "undici";
import { chunkOf, lastChunk } from "./chunk.ts";
import { discardRest, leavesRest } from "./discard-rest.ts";
import { endEventStream, recordPassedBytes, recordPassedHead } from "./end-event-stream.ts";
import { announcesTrailers, endToEndHeaders, type EndToEndHeaders, notInTrailers } from "./end-to-end-headers.ts";
import { replyEndOf } from "./reply-end.ts";

/** One forwarded request, and the bounds of waiting for its reply. */
export interface ForwardOptions {
  readonly dispatcher: Pick<Dispatcher, "dispatch">;
  readonly origin: string;
  /** Path and query to send. */
  readonly path: string;
  /** Request headers to send, without hop-by-hop ones. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** Time from the request's last byte to the reply's head. */
  readonly headersTimeoutMs: number;
  /** Longest silence inside the reply's body; 0 for no bound. */
  readonly bodyTimeoutMs: number;
  /** Replaces the request's body, for a caller that has read it. */
  readonly body?: Buffer | Readable | null;
  /** Called with the reply's status before anything is forwarded; false drops the reply. */
  readonly accepts?: (status: number) => boolean;
  /** Called with the reply's status, just before its head is forwarded. */
  readonly onStatus?: (status: number) => void;
  /** Names that are dropped from the reply's head and from its trailers, besides those of one connection. */
  readonly withheldOfReply?: Pick<ReadonlySet<string>, "has">;
  /** Maps the remaining headers of the reply's head to those that are sent. */
  readonly replyHeaders?: (headers: EndToEndHeaders) => OutgoingHttpHeaders;
  /** Data of the last event of an event stream that the upstream breaks off; without it the stream is cut off. */
  readonly brokenStreamEvent?: string;
  /** Error for a reply that never began, or that broke off; `unavailable` where absent. */
  readonly toError?: (cause: unknown) => GatewayError;
}

/** Size from which pieces are written at once; a reply with this much unsent counts as having a slow client. */
const heldBytesMax = 16 * 1_024;

/** Whether the reply was forwarded, or dropped by `accepts`. */
export type ForwardOutcome = "sent" | "dropped";

/**
 * Forwards a request and its reply as bytes, with back-pressure both ways; when either side disconnects, the other is ended.
 * Resolves when the whole reply has been sent. Trailers of the reply are forwarded, those of the request are not.
 * @throws GatewayError `unavailable` (or the error of `toError`) while nothing has been sent, `replyBrokenOff` with its code after
 * that; `cancelled` when the client left, and the error of `recordReplyEnd` when the gateway ended the reply.
 */
export function forward(req: IncomingMessage, res: ServerResponse, options: ForwardOptions): Promise<ForwardOutcome> {
  return new Promise((resolve, reject) => {
    const request = toDispatchOptions(req, options, options.body === undefined ? bodyOf(req) : options.body);
    const handler = new ForwardHandler(res, options, { resolve, reject });
    inCheckPhase(() => {
      try {
        options.dispatcher.dispatch(request, handler);
      } catch (cause) {
        handler.onResponseError(undefined, cause instanceof Error ? cause : new Error(String(cause)));
      }
    });
  });
}

/** Request in undici's form: method of the incoming request, everything else from the options, time-outs in milliseconds. */
export function toDispatchOptions(
  req: IncomingMessage,
  { origin, path, headers, headersTimeoutMs, bodyTimeoutMs }: ForwardOptions,
  body: Buffer | Readable | null,
): Dispatcher.DispatchOptions {
  const method = req.method as Dispatcher.HttpMethod;
  return { origin, path, method, headers, body, headersTimeout: headersTimeoutMs, bodyTimeout: bodyTimeoutMs };
}

/** Whether a request announces a body (RFC 9112, section 6.3). */
export function hasBody(req: IncomingMessage): boolean {
  return req.headers["transfer-encoding"] !== undefined || Number(req.headers["content-length"] ?? 0) > 0;
}

/**
 * The body as a separate stream, since undici destroys a body that it does not read to the end: when the upstream answers early,
 * or cannot be reached. Destroying the client's request would stall its connection and lose the answer.
 */
function bodyOf(req: IncomingMessage): Readable | null {
  return hasBody(req) ? req.pipe(new PassThrough()) : null;
}

/** Frees the connection of a request that was answered early, or cuts it off where that takes too long. */
async function endEarlyAnswered(req: IncomingMessage): Promise<void> {
  const { socket } = req;
  if (!leavesRest(req)) return;
  await discardRest(req);
  if (!req.complete) socket.destroy();
}

/** Resolve and reject of a forwarded request's promise; only the first call has an effect. */
export interface Settlement {
  readonly resolve: (outcome: ForwardOutcome) => void;
  readonly reject: (err: GatewayError) => void;
}

interface ReplyHead {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
}

const noHeaders: ReadonlySet<string> = new Set();
/** Handler for undici that passes a reply on to the client as its bytes arrive; `forwardUpgrade` extends it for WebSockets. */
export class ForwardHandler implements Dispatcher.DispatchHandler {
  readonly #res: ServerResponse;
  readonly #options: ForwardOptions;
  readonly #settlement: Settlement;
  #controller: Dispatcher.DispatchController | undefined;
  /** Head of the reply, until it is written; until then, other code may answer instead. */
  #head: ReplyHead | undefined;
  #isHeadWritten = false;
  #isHeadSent = false;
  #isScheduled = false;
  /** Pieces of this turn of the event loop. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  #isEnded = false;
  #trailers: EndToEndHeaders | undefined;
  #isDropped = false;
  #isEventStream = false;
  readonly #onClose = () => this.#controller?.abort(replyEndOf(this.#res));
  readonly #onDrain = () => this.#controller?.resume();

  constructor(res: ServerResponse, options: ForwardOptions, settlement: Settlement) {
    this.#res = res;
    this.#options = options;
    this.#settlement = settlement;
    res.on("close", this.#onClose);
    res.on("drain", this.#onDrain);
  }

  /** The request waits for a connection; only packages/http-client says so. */
  onRequestQueued(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#res.destroyed || this.#res.headersSent) this.#onClose();
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    // Answered meanwhile by the code that took over the request.
    if (this.#res.headersSent) return controller.abort(replyEndOf(this.#res));
    const { accepts, onStatus, replyHeaders, withheldOfReply } = this.#options;
    if (accepts !== undefined && !accepts(status)) {
      this.#isDropped = true;
      return;
    }
    onStatus?.(status);
    const kept = endToEndHeaders(headers, withheldOfReply ?? noHeaders);
    if (announcesTrailers(this.#res.req, status, headers)) kept["trailer"] = headers["trailer"] ?? "";
    this.#head = { status, headers: replyHeaders === undefined ? kept : replyHeaders(kept) };
    this.#isEventStream = recordPassedHead(this.#res, headers, () => this.#writeHeld());
    this.#schedule();
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isDropped) return;
    // Ended meanwhile by the code that took over the request.
    if (this.#res.writableEnded) return;
    if (this.#isEventStream) recordPassedBytes(this.#res, chunk);
    if (chunk.length < heldBytesMax) return this.#hold(chunk);
    if (!this.#writeHead()) return;
    this.#writeHeld();
    this.#isHeadSent = true;
    if (!this.#res.write(chunk)) controller.pause();
  }

  onResponseEnd(_controller: Dispatcher.DispatchController, trailers: IncomingHttpHeaders): void {
    this.detach();
    if (this.#isDropped) return this.#settlement.resolve("dropped");
    for (const _ in trailers) {
      this.#trailers = this.#keptTrailers(trailers);
      break;
    }
    this.#isEnded = true;
    this.#schedule();
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, cause: Error): void {
    this.detach();
    if (this.#isDropped && !this.#res.destroyed) return this.#settlement.resolve("dropped");
    const { toError = serviceUnavailable } = this.#options;
    const isTakenOver = this.#res.headersSent && !this.#isHeadWritten;
    if (this.#res.destroyed || isTakenOver) return this.#settlement.reject(replyEndOf(this.#res));
    const isEnded = this.#res.writableEnded || this.#endsWithEvent();
    if (!this.#isHeadWritten) {
      this.#head = undefined;
      return this.#settlement.reject(toError(cause));
    }
    if (!isEnded) this.#res.destroy();
    this.#settlement.reject(replyBrokenOff(toError(cause)));
  }

  #keptTrailers(trailers: IncomingHttpHeaders): EndToEndHeaders {
    const { withheldOfReply = noHeaders } = this.#options;
    return endToEndHeaders(trailers, { has: (name) => notInTrailers.has(name) || withheldOfReply.has(name) });
  }

  /**
   * Writes the head where it is not written yet. It is written as late as it can be sent: until then a broken reply becomes an
   * ordinary error.
   * @returns false where the reply has ended, or other code has answered
   */
  #writeHead(): boolean {
    const head = this.#head;
    if (head === undefined) return this.#isHeadWritten;
    this.#head = undefined;
    try {
      if (this.#res.headersSent) throw replyEndOf(this.#res);
      this.#res.writeHead(head.status, head.headers);
      this.#isHeadWritten = true;
    } catch (cause) {
      this.#drop(cause instanceof Error ? cause : new Error(String(cause)));
    }
    return this.#isHeadWritten;
  }

  /** Ends the exchange without a reply; its controller is gone where the upstream has sent everything. */
  #drop(cause: Error): void {
    const controller = this.#controller;
    if (controller === undefined) this.onResponseError(undefined, cause);
    else controller.abort(cause);
  }

  #endsWithEvent(): boolean {
    const { brokenStreamEvent } = this.#options;
    if (brokenStreamEvent === undefined || !this.#isEventStream) return false;
    // A stream that has neither begun nor events to show becomes an ordinary error.
    if (this.#heldBytes === 0 && !this.#isHeadWritten) return false;
    if (!this.#writeHead()) return false;
    this.#writeHeld();
    return endEventStream(this.#res, brokenStreamEvent);
  }

  #hold(piece: Buffer): void {
    this.#held.push(piece);
    this.#heldBytes += piece.length;
    if (this.#heldBytes < heldBytesMax) this.#schedule();
    else if (this.#writeHead()) this.#writeHeld();
  }

  /** Writes the held pieces as one chunk, together with the head where that has not been sent. */
  #writeHeld(): void {
    if (this.#heldBytes === 0) return;
    const text = this.#takeHeld();
    const res = this.#res;
    const { chunkedEncoding } = res;
    res.chunkedEncoding = false;
    const isKeepingPace = res.write(chunkedEncoding ? chunkOf(text) : text, "latin1");
    res.chunkedEncoding = chunkedEncoding;
    this.#isHeadSent = true;
    if (!isKeepingPace) this.#controller?.pause();
  }

  /** The held bytes as one text: Node joins a text with the head for one write, and frames chunks as four writes. */
  #takeHeld(): string {
    const [first] = this.#held;
    const bytes = this.#held.length === 1 && first !== undefined ? first : Buffer.concat(this.#held, this.#heldBytes);
    this.#held = [];
    this.#heldBytes = 0;
    return bytes.toString("latin1");
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    inCheckPhase(() => this.#send());
  }

  #send(): void {
    this.#isScheduled = false;
    const res = this.#res;
    const isOpen = !res.destroyed && !res.writableEnded;
    if (isOpen && !this.#writeHead()) return;
    if (this.#isEnded) {
      if (isOpen) this.#end();
      this.#settlement.resolve("sent");
      void endEarlyAnswered(res.req);
    } else if (isOpen) {
      this.#writeHeld();
      // The head usually goes out with the first bytes of the body; when those are late, it is sent alone.
      if (!this.#isHeadSent) res.flushHeaders();
      this.#isHeadSent = true;
    }
  }

  #end(): void {
    const res = this.#res;
    if (this.#trailers !== undefined) {
      res.addTrailers(this.#trailers);
      this.#writeHeld();
    }
    if (this.#heldBytes === 0) return void res.end();
    const text = this.#takeHeld();
    if (!res.chunkedEncoding) return void res.end(text, "latin1");
    res.chunkedEncoding = false;
    res.end(`${chunkOf(text)}${lastChunk}`, "latin1");
  }

  /** Stops writing the reply. Its listeners stay, since removing them costs more than calling each without effect. */
  protected detach(): void {
    this.#controller = undefined;
  }
}
