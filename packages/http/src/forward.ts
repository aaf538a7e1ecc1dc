import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { PassThrough, type Readable } from "node:stream";
import { inCheckPhase } from "@gatehouse/async";
import { clientGone, GatewayError, replyBrokenOff, serviceUnavailable } from "@gatehouse/errors";
import type { Dispatcher } from "undici";
import { chunkOf, lastChunk } from "./chunk.ts";
import { discardRest, leavesRest } from "./discard-rest.ts";
import { endEventStream, recordPassedBytes, recordPassedHead } from "./end-event-stream.ts";

/** Headers of one connection (RFC 9110, section 7.6.1), and those that frame a message on each hop. */
const hopByHopHeaders: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "expect",
]);

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
  /** Maps the reply's end-to-end headers to those that are sent. */
  readonly replyHeaders?: (headers: EndToEndHeaders) => OutgoingHttpHeaders;
  /** Data of the last event of an event stream that the upstream breaks off; without it the stream is cut off. */
  readonly brokenStreamEvent?: string;
  /** Error for a reply that never began; `unavailable` where absent. */
  readonly toError?: (cause: unknown) => GatewayError;
}

/** Size from which pieces are written at once; a reply with this much unsent counts as having a slow client. */
const heldBytesMax = 16 * 1_024;

/** Names in lower case. */
export type EndToEndHeaders = Record<string, string | string[]>;

/** Whether the reply was forwarded, or dropped by `accepts`. */
export type ForwardOutcome = "sent" | "dropped";

/** Copies headers without hop-by-hop ones, without those that `Connection` names, and without `dropped`. */
export function endToEndHeaders(
  headers: IncomingHttpHeaders,
  dropped: Pick<ReadonlySet<string>, "has">,
): EndToEndHeaders {
  const named = connectionOptions(headers.connection);
  const kept: EndToEndHeaders = {};
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || hopByHopHeaders.has(name) || named.has(name) || dropped.has(name)) continue;
    kept[name] = value;
  }
  return kept;
}

const noOptions: ReadonlySet<string> = new Set();

/** Header names in `Connection`, lower case; most messages name none. */
function connectionOptions(sent: string | readonly string[] | undefined): ReadonlySet<string> {
  // A list where the header was sent twice, contrary to Node's types.
  const value = typeof sent === "object" ? sent.join(",") : sent;
  if (value === undefined || value === "keep-alive" || value === "close") return noOptions;
  return new Set(
    value
      .toLowerCase()
      .split(",")
      .map((option) => option.trim()),
  );
}

/**
 * Forwards a request and its reply as bytes, with back-pressure both ways; when either side disconnects, the other is ended.
 * Resolves when the whole reply has been sent. Trailers of the reply are forwarded, those of the request are not.
 * @throws GatewayError `unavailable` (or the error of `toError`) when no reply began and nothing has been sent; `cancelled` when
 * either side broke off.
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

const noHeaders: ReadonlySet<string> = new Set();
/** Headers that must precede a body, and so are no trailers (RFC 9110, section 6.5.1). */
const notInTrailers: ReadonlySet<string> = new Set([
  "content-encoding",
  "content-length",
  "content-range",
  "content-type",
  "cache-control",
  "location",
  "set-cookie",
  "www-authenticate",
  "x-request-id",
]);

/** Handler for undici that passes a reply on to the client as its bytes arrive; `forwardUpgrade` extends it for WebSockets. */
export class ForwardHandler implements Dispatcher.DispatchHandler {
  readonly #res: ServerResponse;
  readonly #options: ForwardOptions;
  readonly #settlement: Settlement;
  #controller: Dispatcher.DispatchController | undefined;
  #isHeadWritten = false;
  #isScheduled = false;
  /** Pieces of this turn of the event loop. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  #isEnded = false;
  #hasTrailers = false;
  #isDropped = false;
  #isEventStream = false;
  readonly #onClose = () => this.#controller?.abort(clientGone());
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
    if (this.#res.destroyed) this.#onClose();
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    // Answered meanwhile by the code that took over the request.
    if (this.#res.headersSent) return controller.abort(new GatewayError("cancelled", "The request was ended."));
    const { accepts, onStatus, replyHeaders } = this.#options;
    if (accepts !== undefined && !accepts(status)) {
      this.#isDropped = true;
      return;
    }
    onStatus?.(status);
    const kept = endToEndHeaders(headers, noHeaders);
    if (announcesTrailers(this.#res.req, status, headers)) kept["trailer"] = headers["trailer"] ?? "";
    this.#res.writeHead(status, replyHeaders === undefined ? kept : replyHeaders(kept));
    this.#isEventStream = recordPassedHead(this.#res, headers);
    this.#schedule();
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isDropped) return;
    // Ended meanwhile by the code that took over the request.
    if (this.#res.writableEnded) return;
    if (this.#isEventStream) recordPassedBytes(this.#res, chunk);
    if (chunk.length < heldBytesMax) return this.#hold(chunk);
    this.#writeHeld();
    this.#isHeadWritten = true;
    if (!this.#res.write(chunk)) controller.pause();
  }

  onResponseEnd(_controller: Dispatcher.DispatchController, trailers: IncomingHttpHeaders): void {
    this.detach();
    if (this.#isDropped) return this.#settlement.resolve("dropped");
    for (const _ in trailers) {
      this.#res.addTrailers(endToEndHeaders(trailers, notInTrailers));
      this.#hasTrailers = true;
      break;
    }
    this.#isEnded = true;
    this.#schedule();
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, cause: Error): void {
    this.detach();
    if (this.#isDropped && !this.#res.destroyed) return this.#settlement.resolve("dropped");
    if (!this.#res.headersSent && !this.#res.destroyed) {
      const { toError = serviceUnavailable } = this.#options;
      return this.#settlement.reject(toError(cause));
    }
    // A complete reply was not written here, and is not cut off.
    if (!this.#res.writableEnded && !this.#endsWithEvent()) this.#res.destroy();
    this.#settlement.reject(replyBrokenOff(cause));
  }

  #endsWithEvent(): boolean {
    const { brokenStreamEvent } = this.#options;
    if (brokenStreamEvent === undefined) return false;
    if (!this.#res.destroyed) this.#writeHeld();
    return endEventStream(this.#res, brokenStreamEvent);
  }

  #hold(piece: Buffer): void {
    this.#held.push(piece);
    this.#heldBytes += piece.length;
    if (this.#heldBytes >= heldBytesMax) this.#writeHeld();
    else this.#schedule();
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
    this.#isHeadWritten = true;
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
    if (this.#isEnded) {
      if (isOpen) this.#end();
      this.#settlement.resolve("sent");
      void endEarlyAnswered(res.req);
    } else if (isOpen) {
      this.#writeHeld();
      // The head usually goes out with the first bytes of the body; when those are late, it is sent alone.
      if (!this.#isHeadWritten) res.flushHeaders();
      this.#isHeadWritten = true;
    }
  }

  #end(): void {
    const res = this.#res;
    if (this.#hasTrailers) this.#writeHeld();
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

/** Whether trailers can be announced: only a chunked reply can carry them (RFC 9112, section 7.1.2), and Node refuses them in another. */
function announcesTrailers(req: IncomingMessage, status: number, headers: IncomingHttpHeaders): boolean {
  if (headers["trailer"] === undefined || headers["content-length"] !== undefined) return false;
  return req.httpVersion === "1.1" && req.method !== "HEAD" && status !== 204 && status !== 304;
}
