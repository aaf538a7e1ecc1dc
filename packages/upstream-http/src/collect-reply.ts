import { type ExchangeListener, HttpExchange, type HttpRequest, type RequestDispatcher } from "./http-exchange.ts";
import type { ReplyHeaders } from "./reply-headers.ts";

/** Reply of an upstream, read to its end within the bound of {@link collectReply}; a compressed body stays compressed. */
export interface WholeReply {
  readonly status: number;
  readonly headers: ReplyHeaders;
  readonly body: Buffer<ArrayBuffer>;
}

/** The body of a reply exceeds its reader's bound. */
export class ReplyTooLarge extends Error {
  override readonly name = "ReplyTooLarge";
}

/** Sends a request and resolves with its whole reply. @throws ReplyTooLarge, the signal's reason, or the transport's error */
export async function collectReply(
  dispatcher: RequestDispatcher,
  request: HttpRequest,
  bodyBytesMax: number,
  signal: AbortSignal,
): Promise<WholeReply> {
  const collector = new Collector(bodyBytesMax);
  const onAbort = () => collector.end(signal.reason);
  signal.throwIfAborted();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    collector.exchange.start(dispatcher, request);
    return await collector.reply;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

class Collector implements ExchangeListener {
  readonly exchange: HttpExchange = new HttpExchange(this);
  readonly reply: Promise<WholeReply>;
  readonly #bodyBytesMax: number;
  readonly #resolve: (reply: WholeReply) => void;
  readonly #reject: (cause: unknown) => void;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #status = 0;
  #headers: ReplyHeaders = {};

  constructor(bodyBytesMax: number) {
    this.#bodyBytesMax = bodyBytesMax;
    const { promise, resolve, reject } = Promise.withResolvers<WholeReply>();
    this.reply = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    // If sending fails, no caller awaits this promise, and its rejection must not be an unhandled one.
    promise.catch(() => {});
  }

  end(cause: unknown): void {
    this.exchange.abandon();
    this.#reject(cause);
  }

  onHead(status: number, headers: ReplyHeaders): void {
    this.#status = status;
    this.#headers = headers;
  }

  onBytes(bytes: Buffer): void {
    this.#bytes += bytes.length;
    if (this.#bytes > this.#bodyBytesMax) throw new ReplyTooLarge(`more than ${this.#bodyBytesMax} bytes`);
    this.#chunks.push(bytes);
  }

  onEnd(): void {
    this.#resolve({ status: this.#status, headers: this.#headers, body: Buffer.concat(this.#chunks) });
  }

  onFailure(cause: unknown): void {
    this.#reject(cause);
  }
}
