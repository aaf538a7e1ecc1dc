import type { IncomingHttpHeaders } from "node:http";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { Transform } from "node:stream";
import { isGatewayError } from "@gatehouse/errors";
import type { Dispatcher } from "undici";
import type { CallScope } from "../domain/call-scope.ts";
import { UpstreamFailure } from "../domain/upstream-failure.ts";

export interface ExchangeRequest {
  readonly method: "GET" | "POST" | "DELETE";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Longest wait for the reply's head, and longest silence inside it. */
  readonly idleTimeoutMs: number;
  /** Decoded bytes of the reply. */
  readonly sizeBytesMax: number;
}

/** Takes a reply as it comes. After `onFailure` or `onEnd` nothing more comes. */
export interface ReplyConsumer {
  onHead(status: number, headers: IncomingHttpHeaders): void;
  onBytes(bytes: Buffer): void;
  onEnd(): void;
  onFailure(failure: UpstreamFailure): void;
}

/**
 * One HTTP request and its reply, given piece by piece to a consumer, in force as long as its scope. Encoded replies are decoded,
 * and the bound of their size holds for what comes out. Speaks to undici's dispatcher directly: a stream and a promise for each
 * reply cost more than the exchange itself.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #consumer: ReplyConsumer;
  readonly #bytesMax: number;
  #off: (() => void) | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #decoder: Transform | undefined;
  #bytes = 0;
  #isOver = false;
  /** Whether the request began to be written; before that it cannot have been executed. */
  wasSent = false;

  constructor(dispatcher: Dispatcher, request: ExchangeRequest, parts: { scope: CallScope; consumer: ReplyConsumer }) {
    this.#consumer = parts.consumer;
    this.#bytesMax = request.sizeBytesMax;
    this.#off = parts.scope.onEnd(({ kind }) => this.fail(new UpstreamFailure(kind, { wasSent: this.wasSent })));
    if (this.#isOver) return;
    const { method, url, headers, body, idleTimeoutMs } = request;
    const options: Dispatcher.DispatchOptions = {
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method,
      headers,
      body,
      headersTimeout: idleTimeoutMs,
      bodyTimeout: idleTimeoutMs,
    };
    dispatcher.dispatch(options, this);
  }

  /** Ends it; the connection is given up where the reply has not come whole. */
  fail(failure: UpstreamFailure): void {
    if (this.#isOver) return;
    this.#settle();
    this.#giveUp();
    this.#consumer.onFailure(failure);
  }

  /** Ends it without a word to the consumer, which has what it needs. */
  abandon(): void {
    if (this.#isOver) return;
    this.#settle();
    this.#giveUp();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isOver) controller.abort(abandoned());
    else this.wasSent = true;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (this.#isOver || status < 200) return;
    this.#decoder = createDecoder(headers["content-encoding"]);
    this.#decoder
      ?.on("data", (bytes: Buffer) => this.#take(bytes))
      .on("end", () => this.#end())
      .on("error", (cause) =>
        this.fail(new UpstreamFailure("malformed", { detail: "a body that is not encoded as it says", cause })),
      );
    this.#consumer.onHead(status, headers);
  }

  onResponseData(_controller: Dispatcher.DispatchController, bytes: Buffer): void {
    if (this.#isOver) return;
    if (this.#decoder === undefined) this.#take(bytes);
    else this.#decoder.write(bytes);
  }

  onResponseEnd(): void {
    if (this.#decoder === undefined) this.#end();
    else this.#decoder.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, err: Error): void {
    this.fail(toFailure(err, this.wasSent));
  }

  #take(bytes: Buffer): void {
    if (this.#isOver) return;
    this.#bytes += bytes.length;
    if (this.#bytes > this.#bytesMax) {
      this.fail(new UpstreamFailure("too_large", { detail: `more than ${this.#bytesMax} bytes` }));
      return;
    }
    this.#consumer.onBytes(bytes);
  }

  #end(): void {
    if (this.#isOver) return;
    this.#settle();
    this.#consumer.onEnd();
  }

  #settle(): void {
    this.#isOver = true;
    // A scope that was over at the start calls back before there is anything to end.
    this.#off?.();
  }

  #giveUp(): void {
    this.#decoder?.destroy();
    this.#controller?.abort(abandoned());
  }
}

function abandoned(): Error {
  return new Error("The exchange was given up.");
}

function createDecoder(encoding: string | string[] | undefined): Transform | undefined {
  if (encoding === "gzip" || encoding === "x-gzip") return createGunzip();
  if (encoding === "deflate") return createInflate();
  return encoding === "br" ? createBrotliDecompress() : undefined;
}

const timeoutCodes: ReadonlySet<unknown> = new Set(["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"]);

function toFailure(err: Error, wasSent: boolean): UpstreamFailure {
  if (isGatewayError(err) && err.code === "ssrf_blocked") {
    return new UpstreamFailure("blocked", { detail: String(err.details["detail"] ?? ""), wasSent: false, cause: err });
  }
  if (!wasSent) return new UpstreamFailure("unreachable", { detail: reasonOf(err), wasSent: false, cause: err });
  if ("code" in err && timeoutCodes.has(err.code)) return new UpstreamFailure("timeout", { cause: err });
  return new UpstreamFailure("broken", { detail: reasonOf(err), cause: err });
}

/** An error's code says what happened without an address; the guard's own messages name none either. */
function reasonOf(err: Error): string {
  if (isGatewayError(err)) return String(err.details["detail"] ?? "no connection").replace(/\.$/, "");
  return "code" in err && typeof err.code === "string" ? err.code : "the connection failed";
}
