import { type ExchangeListener, HttpExchange, type HttpRequest, type ReplyHeaders } from "@gatehouse/upstream-http";
import type { Dispatcher } from "undici";
import { keepHeaders, type KeptHeaders } from "../domain/kept-headers.ts";

/** Reads one reply: its status, the start of its body, and the time of each part. */
export class ReceiverReply implements ExchangeListener {
  /** Resolves with undefined where the reply is complete or long enough, else with the error. */
  readonly ended: Promise<unknown>;
  /** Bytes of the reply's body that are kept. */
  readonly #bodyBytesMax: number;
  readonly #maySend: () => boolean;
  readonly #begunAt = performance.now();
  readonly #resolve: (err: unknown) => void;
  readonly #chunks: Buffer[] = [];
  readonly #http = new HttpExchange(this);
  #isOver = false;
  #status: number | undefined;
  #headers: KeptHeaders | undefined;
  #sizeBytes = 0;
  #connectMs: number | undefined;
  #firstByteMs: number | undefined;
  #totalMs = 0;

  constructor(bodyBytesMax: number, maySend: () => boolean) {
    this.#bodyBytesMax = bodyBytesMax;
    this.#maySend = maySend;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    this.ended = promise;
    this.#resolve = resolve;
  }

  get status(): number | undefined {
    return this.#status;
  }

  /** Sends the request; an error ends the exchange. */
  start(dispatcher: Dispatcher, request: HttpRequest): void {
    this.#http.start(dispatcher, request);
  }

  /** Aborts the exchange. A request still waiting for its connection is never sent afterwards. */
  end(err: unknown): void {
    if (this.#isOver) return;
    this.#settle(err);
    this.#http.abandon();
  }

  figures() {
    const read = this.#status !== undefined;
    return {
      httpStatus: this.#status,
      responseHeaders: this.#headers,
      responseBody: read ? this.#bodyText() : undefined,
      responseTruncated: this.#sizeBytes > this.#bodyBytesMax,
      sent: this.#connectMs !== undefined,
      connectMs: this.#connectMs,
      firstByteMs: this.#firstByteMs,
      totalMs: this.#totalMs,
    };
  }

  onConnected(): void {
    if (!this.#maySend()) throw new Error("The receiver was not asked: the delivery had been taken over.");
    this.#connectMs = performance.now() - this.#begunAt;
  }

  onHead(statusCode: number, headers: ReplyHeaders): void {
    this.#status = statusCode;
    this.#headers = keepHeaders(headers);
    this.#firstByteMs = performance.now() - this.#begunAt;
  }

  onBytes(chunk: Buffer): void {
    const room = this.#bodyBytesMax - this.#sizeBytes;
    this.#sizeBytes += chunk.length;
    // Copied, since a slice would keep undici's whole buffer.
    if (room > 0) this.#chunks.push(Buffer.from(chunk.subarray(0, room)));
    // Enough is kept; the rest of the body is not read.
    if (chunk.length > room) this.end(undefined);
  }

  onEnd(): void {
    this.#settle(undefined);
  }

  onFailure(err: unknown): void {
    this.#settle(err);
  }

  #settle(err: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#totalMs = performance.now() - this.#begunAt;
    this.#resolve(err);
  }

  /** As UTF-8, without a truncated character; NUL, which Postgres refuses, is replaced. */
  #bodyText(): string {
    const truncated = this.#sizeBytes > this.#bodyBytesMax;
    return new TextDecoder().decode(Buffer.concat(this.#chunks), { stream: truncated }).replaceAll("\0", "\uFFFD");
  }
}
