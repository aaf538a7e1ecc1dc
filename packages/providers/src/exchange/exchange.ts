import type { AbortState } from "@gatehouse/async";
import { isLarge, nextTurn } from "@gatehouse/pace";
import {
  type ExchangeListener,
  HttpExchange,
  type ReplyHeaders,
  type RequestDispatcher,
} from "@gatehouse/upstream-http";
import type { Dispatcher } from "undici";
import { type Attempt, givenUp, ProviderError } from "../provider.ts";
import { AttemptClock } from "./attempt-clock.ts";
import { acceptedEncoding, compressedReply } from "./compressed-reply.ts";
import { brokenReply, unreachable } from "./connection-error.ts";
import { type Later, later } from "./later.ts";

/** Bytes that may wait for a slow reader before the provider must pause. */
const queueBytesMax = 1024 * 1024;
/** Largest piece for one read: its small events take a few milliseconds from the parser to the caller's socket. */
const readBytesMax = 16 * 1024;
/** Longest stream, bytes. */
const streamBytesMax = 128 * 1024 * 1024;
/** Longest wait for the unneeded rest of a reply before its connection is closed, ms. */
const lingerMs = 1_000;

/** One request of an {@link Exchange}; `provider` is the name in errors, and `body` is null for a request without one. */
interface ExchangeOptions {
  readonly dispatcher: RequestDispatcher;
  readonly provider: string;
  readonly origin: string;
  readonly path: string;
  readonly method?: Dispatcher.HttpMethod;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
  /** Whether the reply is a stream; decides which bounds apply. */
  readonly streaming: boolean;
  readonly attempt: Attempt;
}

/** Status and headers of a provider's reply, before its body; header names are in lower case. */
export interface ReplyHead {
  readonly status: number;
  readonly headers: ReplyHeaders;
}

/** In lower case; empty where absent. */
export function contentTypeOf({ headers }: ReplyHead): string {
  return headers["content-type"]?.toLowerCase() ?? "";
}

/**
 * One request to a provider and its reply, under an attempt's bounds and abort signal. All failures are ProviderErrors and
 * release the connection. One reader at a time.
 */
export class Exchange implements ExchangeListener {
  readonly clock: AttemptClock;
  readonly #provider: string;
  readonly #signal: AbortState;
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
  /** Whether the reader waits for a whole successful reply rather than its head. */
  #awaitsWhole = false;
  #wake: (() => void) | undefined;
  /** Bytes read since the event loop last had a turn. */
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
    const { dispatcher, origin, path, method = "POST", body } = options;
    const headers = { ...options.headers, ...acceptedEncoding };
    this.#http.start(dispatcher, { origin, path, method, headers, body });
  }

  get failure(): ProviderError | undefined {
    return this.#failure;
  }

  /** Whether the reply has begun with a status of success. */
  get wasServed(): boolean {
    return this.#head !== undefined && this.#head.status < 300;
  }

  async head(): Promise<ReplyHead> {
    while (this.#head === undefined && this.#failure === undefined) await this.#change();
    if (this.#head === undefined) throw this.#reason();
    return this.#head;
  }

  /** As {@link readNow}, and waits for what has not arrived. */
  async read(): Promise<Buffer | undefined> {
    for (;;) {
      const bytes = this.readNow();
      if (bytes !== later) return await bytes;
      await this.#change();
    }
  }

  /**
   * The next bytes, or undefined at the reply's end; {@link later} where neither has arrived. Bytes that arrived before a failure
   * come first. After many bytes the event loop gets a turn, even where the reader had to wait: a socket hands over megabytes in
   * one turn of the loop.
   */
  readNow(): Buffer | undefined | Later | Promise<Buffer | undefined> {
    if (isLarge(this.#unrestedBytes)) return this.#rested();
    if (this.#failure?.failure === "aborted") throw this.#failure;
    const bytes = this.#takeQueued();
    if (bytes !== undefined) return this.#taken(bytes);
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#ended) return undefined;
    this.clock.resumed();
    return later;
  }

  /** Calls back once, as soon as {@link readNow} no longer says `later`; in the turn of the event loop in which that happens. */
  onChange(wake: () => void): void {
    this.#wake = wake;
  }

  /**
   * Resolves with the head once the whole reply is ready for {@link takeWhole}, in one wait; for an error reply already at its
   * head, since its body has another bound.
   * @throws ProviderError `malformed` where a reply is longer than `bytesMax`
   */
  async headOfWhole(bytesMax: number): Promise<ReplyHead> {
    this.#awaitsWhole = true;
    this.#collecting = true;
    this.#repliedBytesMax = bytesMax;
    while (!this.#ended && this.#failure === undefined && this.#awaitsWhole) await this.#change();
    if (this.#head === undefined || (this.#awaitsWhole && this.#failure !== undefined)) throw this.#reason();
    return this.#head;
  }

  /** Resolves with the rest of the reply. @throws ProviderError `malformed` where it is longer than `bytesMax`. */
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

  /** Bounds a stream as a whole, for readers that take it piece by piece. */
  limitStream(): void {
    this.#repliedBytesMax = streamBytesMax;
  }

  /** Call when no more is needed. The connection is kept if the reply ends soon. */
  finish(): void {
    if (this.#ended || this.#failure !== undefined || this.#discarding) return;
    this.#discarding = true;
    this.#queue.length = 0;
    this.#release();
    this.#http.resume();
    this.#linger = setTimeout(() => this.cancel(), lingerMs).unref();
  }

  /** Aborts the exchange and stops the provider's work. */
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
    const problem = status < 300 ? compressedReply(this.#provider, headers) : undefined;
    if (problem !== undefined) this.#fail(problem);
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
    // Without a connection nothing was sent. After that a byte may have left, and the provider may have worked.
    this.#failure = this.#http.wasSent ? err : err.asFree();
    this.#release();
    this.#http.abandon(err);
    this.#notify();
  }

  /** Another reader reads the body of an error reply, within separate bounds. */
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

  /** Joins small queued pieces: copying them is cheaper than a read for each. */
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

  /** The clock stands until the next wait: bytes that have not been read may or may not be output. */
  #taken(bytes: Buffer): Buffer {
    this.clock.paused();
    this.#queuedBytes -= bytes.length;
    this.#unrestedBytes += bytes.length;
    if (this.#queuedBytes <= queueBytesMax / 2) this.#resume();
    return bytes;
  }

  #resume(): void {
    if (!this.#http.isPaused) return;
    this.clock.resumed();
    this.#http.resume();
  }

  #reason(): ProviderError {
    return this.#failure ?? new ProviderError("malformed", `${this.#provider} sent no reply`);
  }

  async #rested(): Promise<Buffer | undefined> {
    this.#unrestedBytes = 0;
    await nextTurn();
    return await this.read();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.onChange(resolve));
  }

  #notify(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}
