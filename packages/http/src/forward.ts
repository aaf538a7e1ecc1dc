import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { PassThrough, type Readable } from "node:stream";
import { GatewayError } from "@gatehouse/errors";
import type { Dispatcher } from "undici";
import { discardRest, leavesRest } from "./discard-rest.ts";

/** Headers that belong to one connection (RFC 9110, section 7.6.1), and those that frame a message anew on each hop. */
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

export interface ForwardOptions {
  readonly dispatcher: Dispatcher;
  readonly origin: string;
  /** Path and query as they go out. */
  readonly path: string;
  /** Request headers as they go out, without hop-by-hop ones. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** From the request's last byte to the reply's head. */
  readonly headersTimeoutMs: number;
  /** Longest silence inside the reply's body; 0 for none. */
  readonly bodyTimeoutMs: number;
  /** Called with the reply's status, just before its head is sent on. */
  readonly onStatus?: (status: number) => void;
}

/** Copies headers without hop-by-hop ones, without those that `Connection` names, and without `dropped`. */
export function endToEndHeaders(
  headers: IncomingHttpHeaders,
  dropped: ReadonlySet<string>,
): Record<string, string | string[]> {
  const named = new Set((headers.connection ?? "").toLowerCase().split(/\s*,\s*/));
  const kept: Record<string, string | string[]> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || hopByHopHeaders.has(name) || named.has(name) || dropped.has(name)) continue;
    kept[name] = value;
  }
  return kept;
}

/**
 * Passes a request on and its reply back, as bytes, with back-pressure both ways. When either side goes away the other is
 * ended. Resolves when the reply has been sent whole.
 * @throws GatewayError `unavailable` when no reply began (nothing has been sent then), or `cancelled` when either side broke off.
 */
export function forward(req: IncomingMessage, res: ServerResponse, options: ForwardOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const handler = new ForwardHandler(res, options.onStatus, { resolve, reject });
    options.dispatcher.dispatch(
      {
        origin: options.origin,
        path: options.path,
        method: req.method as Dispatcher.HttpMethod,
        headers: options.headers,
        body: hasBody(req) ? bodyOf(req) : null,
        headersTimeout: options.headersTimeoutMs,
        bodyTimeout: options.bodyTimeoutMs,
      },
      handler,
    );
  });
}

function hasBody(req: IncomingMessage): boolean {
  return req.headers["transfer-encoding"] !== undefined || Number(req.headers["content-length"] ?? 0) > 0;
}

/**
 * A stream of its own, since undici destroys a body that it does not need to the end: when the upstream answers early, or
 * cannot be reached. The client's request has to outlive that, or its connection would stall and the answer be lost.
 */
function bodyOf(req: IncomingMessage): Readable {
  return req.pipe(new PassThrough());
}

/** Frees the connection of a request that was answered before its end, or cuts it where that takes too long. */
async function endEarlyAnswered(req: IncomingMessage): Promise<void> {
  const { socket } = req;
  if (!leavesRest(req)) return;
  await discardRest(req);
  if (!req.complete) socket.destroy();
}

interface Settlement {
  readonly resolve: () => void;
  readonly reject: (err: GatewayError) => void;
}

class ForwardHandler implements Dispatcher.DispatchHandler {
  readonly #res: ServerResponse;
  readonly #onStatus: ((status: number) => void) | undefined;
  readonly #settlement: Settlement;
  #controller: Dispatcher.DispatchController | undefined;
  #headSent = false;
  readonly #onClose = () => this.#controller?.abort(new GatewayError("cancelled", "The client went away."));
  readonly #onDrain = () => this.#controller?.resume();

  constructor(res: ServerResponse, onStatus: ((status: number) => void) | undefined, settlement: Settlement) {
    this.#res = res;
    this.#onStatus = onStatus;
    this.#settlement = settlement;
    res.on("close", this.#onClose);
    res.on("drain", this.#onDrain);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#res.destroyed) this.#onClose();
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    this.#onStatus?.(status);
    this.#res.writeHead(status, endToEndHeaders(headers, new Set()));
    setImmediate(() => this.#sendHead());
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#headSent = true;
    if (!this.#res.write(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    this.#detach();
    this.#headSent = true;
    this.#res.end();
    this.#settlement.resolve();
    void endEarlyAnswered(this.#res.req);
  }

  onResponseError(_controller: Dispatcher.DispatchController, cause: Error): void {
    this.#detach();
    if (!this.#res.headersSent && !this.#res.destroyed) {
      this.#settlement.reject(
        new GatewayError("unavailable", "A service is not available.", { cause, retryAfterSeconds: 1 }),
      );
      return;
    }
    this.#res.destroy();
    this.#settlement.reject(new GatewayError("cancelled", "The reply was broken off.", { cause }));
  }

  /** The head usually goes out with the first bytes of the body; when those are long in coming, the client gets it alone. */
  #sendHead(): void {
    if (this.#headSent || this.#res.destroyed) return;
    this.#headSent = true;
    this.#res.flushHeaders();
  }

  #detach(): void {
    this.#res.off("close", this.#onClose);
    this.#res.off("drain", this.#onDrain);
  }
}
