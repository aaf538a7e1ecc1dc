import { type ExchangeListener, HttpExchange, type HttpRequest, type ReplyHeaders } from "@gatehouse/upstream-http";
import type { Dispatcher } from "undici";
import { keepHeaders, type KeptHeaders } from "../domain/kept-headers.ts";

/** Takes one reply: its status, the beginning of its body as it came, and when each part came. */
export class ReceiverReply implements ExchangeListener {
  /** Undefined where the reply came whole, or far enough; else what went wrong. */
  readonly ended: Promise<unknown>;
  /** The kept part of the reply's body. */
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

  /** Sends the request. One that cannot be sent ends this with the reason. */
  start(dispatcher: Dispatcher, request: HttpRequest): void {
    this.#http.start(dispatcher, request);
  }

  /** Breaks the exchange off. A request that still waits for its connection is never sent after this. */
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
    // Copied: a slice would keep the whole of undici's buffer.
    if (room > 0) this.#chunks.push(Buffer.from(chunk.subarray(0, room)));
    // Enough is known; the rest, however long, is not waited for.
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

  /** As UTF-8; a character that was cut in half is left out, and NUL, which Postgres refuses, replaced. */
  #bodyText(): string {
    const truncated = this.#sizeBytes > this.#bodyBytesMax;
    return new TextDecoder().decode(Buffer.concat(this.#chunks), { stream: truncated }).replaceAll("\0", "\uFFFD");
  }
}
