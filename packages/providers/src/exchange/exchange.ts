import { isLarge, nextTurn } from "@gatehouse/pace";
import { type ExchangeListener, HttpExchange, type ReplyHeaders } from "@gatehouse/upstream-http";
import type { Dispatcher } from "undici";
import { type Attempt, givenUp, ProviderError } from "../provider.ts";
import { AttemptClock } from "./attempt-clock.ts";
import { brokenReply, unreachable } from "./connection-error.ts";

/** Bytes that may wait for a slow reader before the provider must pause. */
const queueBytesMax = 1024 * 1024;
/** Bytes that a reader gets at once: small events in it take a few milliseconds from the parser to the caller's socket. */
const readBytesMax = 16 * 1024;
/** Longest time of the unneeded rest of a reply before its connection is given up, ms. */
const lingerMs = 1_000;

/** One request to a provider, and the bounds of waiting for its reply. */
export interface ExchangeOptions {
  readonly dispatcher: Dispatcher;
  /** The provider's name, for messages. */
  readonly provider: string;
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
  readonly method?: Dispatcher.HttpMethod;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
  /** Whether the reply is a stream; decides which bounds hold. */
  readonly streaming: boolean;
  readonly attempt: Attempt;
}

/** Status and headers of a provider's reply. */
export interface ReplyHead {
  readonly status: number;
  readonly headers: ReplyHeaders;
}

/** In lower case; empty where it is absent. */
export function contentTypeOf({ headers }: ReplyHead): string {
  return headers["content-type"]?.toLowerCase() ?? "";
}

/**
 * One request to a provider and its reply, under an attempt's bounds and abort signal. It fails with a ProviderError
 * only, and then gives its connection up. One reader at a time.
 */
export class Exchange implements ExchangeListener {
  readonly clock: AttemptClock;
  readonly #provider: string;
  readonly #signal: AbortSignal;
  readonly #queue: Buffer[] = [];
  #queuedBytes = 0;
  #repliedBytes = 0;
  #repliedBytesMax = Number.POSITIVE_INFINITY;
  readonly #http = new HttpExchange(this);
  #head: ReplyHead | undefined;
  #failure: ProviderError | undefined;
  #ended = false;
  #discarding = false;
  #collecting = false;
  /** Whether the reader waits for a whole reply of success, and not for its head. */
  #awaitsWhole = false;
  #wake: (() => void) | undefined;
  /** Bytes that were given since the reader had to wait. */
  #unrestedBytes = 0;
  #linger: NodeJS.Timeout | undefined;
  readonly #onAbort = () => this.#fail(givenUp());

  constructor(options: ExchangeOptions) {
    const { provider, attempt, streaming } = options;
    this.#provider = provider;
    this.#signal = attempt.signal;
    const onExpire = (err: ProviderError) => this.#fail(err);
    this.clock = new AttemptClock(provider, attempt.bounds, streaming, onExpire);
    if (attempt.signal.aborted) {
      this.#onAbort();
      return;
    }
    attempt.signal.addEventListener("abort", this.#onAbort, { once: true });
    const { dispatcher, origin, path, method = "POST", headers, body } = options;
    this.#http.start(dispatcher, { origin, path, method, headers, body });
  }

  /** Why the exchange failed, where it has. */
  get failure(): ProviderError | undefined {
    return this.#failure;
  }

  /** Whether the reply has begun with a status of success. */
  get wasServed(): boolean {
    return this.#head !== undefined && this.#head.status < 300;
  }

  /** Resolves with the reply's head. */
  async head(): Promise<ReplyHead> {
    while (this.#head === undefined && this.#failure === undefined) await this.#change();
    if (this.#head === undefined) throw this.#reason();
    return this.#head;
  }

  /**
   * Resolves with the next bytes, or undefined at the reply's end. What arrived before a failure is given first. Many bytes are read
   * in slices: others have their turn before the next bytes are given, also where the reader had to wait, for a socket hands over
   * what it has read in one turn of the loop, megabytes after each other.
   */
  async read(): Promise<Buffer | undefined> {
    if (isLarge(this.#unrestedBytes)) {
      this.#unrestedBytes = 0;
      await nextTurn();
    }
    for (;;) {
      if (this.#failure?.failure === "aborted") throw this.#failure;
      const bytes = this.#takeQueued();
      if (bytes !== undefined) return this.#taken(bytes);
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#ended) return undefined;
      await this.#change();
    }
  }

  /**
   * Resolves with the head when the whole reply is there for {@link takeWhole}, in one wait; of an error reply as soon as its head is,
   * its body being read with another bound. @throws ProviderError `malformed` when a reply is longer than `bytesMax`
   */
  async headOfWhole(bytesMax: number): Promise<ReplyHead> {
    this.#awaitsWhole = true;
    this.#collecting = true;
    this.#repliedBytesMax = bytesMax;
    while (!this.#ended && this.#failure === undefined && this.#awaitsWhole) await this.#change();
    if (this.#head === undefined || (this.#awaitsWhole && this.#failure !== undefined)) throw this.#reason();
    return this.#head;
  }

  /** Resolves with the whole rest of the reply. @throws ProviderError `malformed` when it is longer than `bytesMax`. */
  async readAll(bytesMax: number): Promise<Buffer> {
    this.#collecting = true;
    this.#repliedBytesMax = bytesMax;
    this.#resume();
    if (this.#repliedBytes > bytesMax) this.#failOversized();
    while (!this.#ended && this.#failure === undefined) await this.#change();
    if (this.#failure !== undefined) throw this.#failure;
    return this.takeWhole();
  }

  /** All bytes of a reply that has ended. */
  takeWhole(): Buffer {
    const [first] = this.#queue;
    return this.#queue.length === 1 && first !== undefined ? first : Buffer.concat(this.#queue, this.#queuedBytes);
  }

  /** Bounds the whole reply, for those who read it piece by piece. */
  limitReply(bytesMax: number): void {
    this.#repliedBytesMax = bytesMax;
  }

  /** The reader needs no more. The connection is kept if the reply ends soon. */
  finish(): void {
    if (this.#ended || this.#failure !== undefined || this.#discarding) return;
    this.#discarding = true;
    this.#queue.length = 0;
    this.#release();
    this.#http.resume();
    this.#linger = setTimeout(() => this.cancel(), lingerMs).unref();
  }

  /** Breaks the exchange off, and with it the provider's work. */
  cancel(): void {
    if (!this.#ended) this.#onAbort();
  }

  onConnected(): void {
    this.clock.connected();
  }

  onSent(): void {
    this.clock.sent();
  }

  onHead(status: number, headers: ReplyHeaders): void {
    this.#head = { status, headers };
    this.clock.replied();
    if (this.#awaitsWhole && status < 300) return;
    if (this.#awaitsWhole) this.#endWhole();
    this.#notify();
  }

  onBytes(bytes: Buffer): void {
    if (this.#discarding) return;
    this.clock.read();
    this.#queue.push(bytes);
    this.#queuedBytes += bytes.length;
    this.#repliedBytes += bytes.length;
    if (this.#repliedBytes > this.#repliedBytesMax) {
      this.#failOversized();
      return;
    }
    if (this.#collecting) return;
    if (this.#queuedBytes > queueBytesMax) {
      this.#http.pause();
      this.clock.paused();
    }
    this.#notify();
  }

  onEnd(): void {
    this.#ended = true;
    this.#release();
    this.#notify();
  }

  onFailure(cause: unknown): void {
    this.#fail(this.#head === undefined ? unreachable(this.#provider, cause) : brokenReply(this.#provider, cause));
  }

  #fail(err: ProviderError): void {
    if (this.#failure !== undefined || this.#ended) return;
    // Without a connection nothing was sent. From then on a byte may have left, and the provider may have worked on it.
    this.#failure = this.#http.wasSent ? err : err.asFree();
    this.#release();
    this.#http.abandon(err);
    this.#notify();
  }

  /** The body of an error reply is read by another reader, within its own bounds. */
  #endWhole(): void {
    this.#awaitsWhole = false;
    this.#collecting = false;
    this.#repliedBytesMax = Number.POSITIVE_INFINITY;
  }

  #failOversized(): void {
    this.#fail(
      new ProviderError("malformed", `${this.#provider} sent a reply of more than ${this.#repliedBytesMax} bytes`),
    );
  }

  #release(): void {
    this.clock.stop();
    clearTimeout(this.#linger);
    this.#signal.removeEventListener("abort", this.#onAbort);
  }

  /** Small pieces that wait come as one: what a reader does for each read takes longer than to copy them. */
  #takeQueued(): Buffer | undefined {
    const [first] = this.#queue;
    if (first === undefined) return undefined;
    if (first.length > readBytesMax) {
      this.#queue[0] = first.subarray(readBytesMax);
      return first.subarray(0, readBytesMax);
    }
    let count = 0;
    let sizeBytes = 0;
    for (const { length } of this.#queue) {
      if (sizeBytes + length > readBytesMax) break;
      sizeBytes += length;
      count += 1;
    }
    const pieces = this.#queue.splice(0, count);
    return count === 1 ? first : Buffer.concat(pieces, sizeBytes);
  }

  #taken(bytes: Buffer): Buffer {
    this.#queuedBytes -= bytes.length;
    this.#unrestedBytes += bytes.length;
    if (this.#queuedBytes <= queueBytesMax / 2) this.#resume();
    return bytes;
  }

  #resume(): void {
    if (!this.#http.isPaused) return;
    this.clock.read();
    this.#http.resume();
  }

  #reason(): ProviderError {
    return this.#failure ?? new ProviderError("malformed", `${this.#provider} sent no reply`);
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #notify(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}
