import { type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from "node:http";
import { carrierBounds } from "./bounds.ts";
import type { CarriedRequest } from "./carried-request.ts";

/** Consumer of a reply's parts; notified once for each run of work that changes the reply. */
export interface ReplySink {
  changed(reply: CarriedReply): void;
}

/** Part of a reply that was added since the last one was taken. */
interface ReplyPart {
  readonly head?: { readonly status: number; readonly headers: OutgoingHttpHeaders };
  readonly body: Buffer | string | undefined;
  readonly isEnd: boolean;
}

type Chunk = Buffer | string;

/** A reply to a carried request, written like any `ServerResponse`. Its bytes wait here until its caller takes them. */
export class CarriedReply extends ServerResponse {
  readonly id: number;
  readonly #sink: ReplySink;
  #chunks: Chunk[] = [];
  #waitingBytes = 0;
  /** Bytes sent and not yet acknowledged. */
  #unackedBytes = 0;
  #isHeadMade = false;
  #isHeadSent = false;
  #needsDrain = false;

  static {
    // Properties to the compiler, accessors in Node.
    const property = (name: string, get: (reply: CarriedReply) => unknown) =>
      Object.defineProperty(CarriedReply.prototype, name, {
        get(this: CarriedReply) {
          return get(this);
        },
      });
    property("headersSent", (reply) => reply.#isHeadMade);
    property("writableLength", (reply) => reply.#heldBytes);
    property("writableNeedDrain", (reply) => reply.#needsDrain && !reply.destroyed);
  }

  constructor(req: CarriedRequest, id: number, sink: ReplySink) {
    super(req);
    this.id = id;
    this.#sink = sink;
  }

  /** Whether it was destroyed before all of it was taken. */
  get isBroken(): boolean {
    return this.destroyed && (!this.writableEnded || this.#waitingBytes > 0);
  }

  override writeHead(
    status: number,
    message?: string | OutgoingHttpHeaders | OutgoingHttpHeader[],
    headers = typeof message === "string" ? undefined : message,
  ): this {
    if (Array.isArray(headers)) throw new TypeError("The headers of a carried reply are an object.");
    this.statusCode = status;
    for (const name in headers) {
      const value = headers[name];
      if (value !== undefined) this.setHeader(name, value);
    }
    this.#isHeadMade = true;
    return this;
  }

  override flushHeaders(): void {
    this.#isHeadMade = true;
    this.#sink.changed(this);
  }

  override write(chunk: unknown, encoding?: unknown): boolean {
    if (this.destroyed || this.writableEnded) return false;
    this.#add(chunk, encoding);
    this.flushHeaders();
    this.#needsDrain = this.#heldBytes >= carrierBounds.windowBytes;
    return !this.#needsDrain;
  }

  override end(chunk?: unknown, encoding?: unknown): this {
    if (this.destroyed || this.writableEnded) return this;
    this.#add(chunk, encoding);
    this.finished = true;
    this.flushHeaders();
    return this;
  }

  override destroy(): this {
    if (this.destroyed) return this;
    this.destroyed = true;
    this.#chunks = [];
    this.#sink.changed(this);
    process.nextTick(() => this.emit("close"));
    return this;
  }

  /** Acknowledges bytes that the caller has taken. */
  credit(bytes: number): void {
    if (!(bytes > 0)) throw new RangeError("A credit of no bytes.");
    this.#unackedBytes = Math.max(0, this.#unackedBytes - bytes);
    if (this.#waitingBytes > 0) this.#sink.changed(this);
    if (!this.#needsDrain || this.#heldBytes >= carrierBounds.windowBytes) return;
    this.#needsDrain = false;
    // In the next tick: an exception of a listener must not interrupt the reading of the frame.
    process.nextTick(() => this.emit("drain"));
  }

  /** The next part for the caller; undefined where there is none, or where the window is used up. */
  take(): ReplyPart | undefined {
    const room = carrierBounds.windowBytes - this.#unackedBytes;
    const body = room > 0 ? this.#takeBody(Math.min(room, carrierBounds.pieceBytesMax)) : undefined;
    const isEnd = this.writableEnded && this.#waitingBytes === 0;
    const isHead = this.#isHeadMade && !this.#isHeadSent;
    if (body === undefined && !isEnd && !isHead) return undefined;
    if (!isHead) return { body, isEnd };
    this.#isHeadSent = true;
    return { head: { status: this.statusCode, headers: this.getHeaders() }, body, isEnd };
  }

  /** Called when the last part has been sent. */
  settle(): void {
    this.destroyed = true;
    this.emit("finish");
    this.emit("close");
  }

  get #heldBytes(): number {
    return this.#waitingBytes + this.#unackedBytes;
  }

  #add(chunk: unknown, encoding: unknown): void {
    if (typeof chunk !== "string" && !(chunk instanceof Uint8Array)) return;
    const kept = toChunk(chunk, encoding);
    if (kept.length === 0) return;
    this.#chunks.push(kept);
    this.#waitingBytes += Buffer.byteLength(kept);
  }

  #takeBody(bytesMax: number): Chunk | undefined {
    const [first] = this.#chunks;
    if (first === undefined) return undefined;
    if (this.#waitingBytes <= bytesMax && this.#chunks.length === 1) return this.#sent(first, []);
    const whole = Buffer.concat(this.#chunks.map((chunk) => (typeof chunk === "string" ? Buffer.from(chunk) : chunk)));
    return this.#sent(whole.subarray(0, bytesMax), whole.length > bytesMax ? [whole.subarray(bytesMax)] : []);
  }

  #sent(body: Chunk, rest: Chunk[]): Chunk {
    const bytes = Buffer.byteLength(body);
    this.#chunks = rest;
    this.#waitingBytes -= bytes;
    this.#unackedBytes += bytes;
    return body;
  }
}

/** Copies a chunk; an ASCII text has the same bytes in every text encoding. */
function toChunk(chunk: string | Uint8Array, encoding: unknown): Chunk {
  if (typeof chunk !== "string") return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  const isUtf8 = typeof encoding !== "string" || encoding === "utf8" || encoding === "utf-8";
  if (isUtf8 || (encoding === "latin1" && Buffer.byteLength(chunk) === chunk.length)) return chunk;
  return Buffer.from(chunk, encoding as BufferEncoding);
}
