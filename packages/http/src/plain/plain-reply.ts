import { type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse, STATUS_CODES } from "node:http";
import type { WholeRequest } from "../whole-request.ts";

/** Connection of a reply, notified once when the whole reply has been written. */
export interface ReplyOwner {
  readonly keepAliveTimeoutMs: number;
  onSent(isLast: boolean): void;
}

/** RFC 9110, section 5.6.2, in lower case. */
const lowerToken = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
const invalidInValue = /[^\t\u0020-\u007e]/;
/** Headers by which a reply may end otherwise than by its length, or that are added here. */
const notPlain: ReadonlySet<string> = new Set(["connection", "keep-alive", "trailer", "transfer-encoding"]);
/** Statuses of replies with a body begin here. */
const statusMin = 200;
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

interface MadeHead {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  /** On the wire, but for the lines of the connection and the empty one. */
  readonly text: string;
}

/** Members of Node's class that its types leave out. */
interface Internals {
  _keepAliveTimeout: number;
  _closed: boolean;
  readonly _last: boolean;
}

/**
 * A reply on a connection that Node's parser does not read. A head with a length that is followed by a text, as with all JSON, is
 * written in one text with it; an event stream is written by its writer ({@link PlainReply.openChunked}). Every other reply is
 * written by Node's functions.
 */
export class PlainReply extends ServerResponse {
  readonly #owner: ReplyOwner;
  /** A head that was made and is not written. */
  #head: MadeHead | undefined;
  #isNodes = false;
  /** Whether the body is written by the caller of `openChunked`. */
  #isOpen = false;
  #isWritten = false;

  static {
    // Properties to the compiler, accessors in Node.
    const property = <Name extends "headersSent" | "writableFinished" | "writableLength">(
      name: Name,
      own: (reply: PlainReply) => ServerResponse[Name],
    ) =>
      Object.defineProperty(PlainReply.prototype, name, {
        get(this: PlainReply) {
          return own(this) || Reflect.get(ServerResponse.prototype, name, this);
        },
      });
    property("headersSent", (reply) => reply.#head !== undefined || reply.#isOpen || reply.finished);
    property("writableFinished", (reply) => reply.#isWritten);
    property("writableLength", (reply) => (reply.#isOpen ? reply.req.socket.writableLength : 0));
  }

  constructor(req: WholeRequest, owner: ReplyOwner) {
    super(req);
    this.#owner = owner;
  }

  override writeHead(
    status: number,
    message?: string | OutgoingHttpHeaders | OutgoingHttpHeader[],
    given?: OutgoingHttpHeaders | OutgoingHttpHeader[],
  ): this {
    const isPlain = !this.#isNodes && !this.headersSent && typeof message === "object" && !Array.isArray(message);
    const hasLength = isPlain && message["content-length"] !== undefined;
    const text = hasLength ? this.#textOf(status, message) : undefined;
    if (text === undefined || typeof message !== "object" || Array.isArray(message)) {
      this.#writeByNode();
      return super.writeHead(status, message as string, given);
    }
    this.statusCode = status;
    this.#head = { status, headers: message, text };
    return this;
  }

  override flushHeaders(): void {
    this.#writeByNode();
    super.flushHeaders();
  }

  override write(chunk: unknown, encoding?: unknown, callback?: unknown): boolean {
    this.#writeByNode();
    return super.write(chunk, encoding as BufferEncoding, callback as () => void);
  }

  override end(chunk?: unknown, encoding?: unknown, callback?: unknown): this {
    const head = this.#head;
    const isText = typeof chunk === "string" && (encoding === "latin1" || encoding === "utf8");
    if (head === undefined || !isText || callback !== undefined || this.destroyed) {
      this.#writeByNode();
      return super.end(chunk, encoding as BufferEncoding, callback as () => void);
    }
    this.#head = undefined;
    this.#writeLast(`${head.text}${this.#connectionLines}\r\n${chunk}`, encoding);
    return this;
  }

  /**
   * Begins a reply with status 200 whose body the caller frames in chunks, and writes to the connection behind this head, up to
   * `endChunked`. Undefined where Node has to write.
   */
  openChunked(headers: OutgoingHttpHeaders): string | undefined {
    if (this.#isNodes || this.headersSent || this.destroyed) return undefined;
    const text = this.#textOf(200, headers);
    if (text === undefined) return undefined;
    this.#isOpen = true;
    // Read by code that treats streams in another way.
    this.setHeader("content-type", headers["content-type"] ?? "");
    return `${text}${this.#connectionLines}Transfer-Encoding: chunked\r\n\r\n`;
  }

  /** Writes the end of a body that `openChunked` has begun. */
  endChunked(text: string, encoding: BufferEncoding): void {
    this.#writeLast(text, encoding);
  }

  override destroy(err?: Error): this {
    if (this.destroyed) return this;
    super.destroy(err);
    this.req.socket.destroy(err);
    return this;
  }

  /** The connection is closed. */
  close(): void {
    const internals = this as unknown as Internals;
    if (internals._closed) return;
    this.destroyed = true;
    internals._closed = true;
    this.emit("close");
  }

  get #connectionLines(): string {
    if (!this.shouldKeepAlive) return "Connection: close\r\n";
    const seconds = Math.floor(this.#owner.keepAliveTimeoutMs / 1_000);
    return `Connection: keep-alive\r\nKeep-Alive: timeout=${seconds}\r\n`;
  }

  #writeLast(text: string, encoding: BufferEncoding): void {
    this.finished = true;
    this.req.socket.write(text, encoding, (err) => {
      if (err) return;
      this.#isWritten = true;
      this.#end(!this.shouldKeepAlive);
    });
  }

  /** Undefined for a head that is not plain; Node decides about it, also about an invalid one. */
  #textOf(status: number, headers: OutgoingHttpHeaders): string | undefined {
    const reason = STATUS_CODES[status];
    if (reason === undefined || status < statusMin || bodiless.has(status)) return undefined;
    let text = `HTTP/1.1 ${status} ${reason}\r\n`;
    const early = this.getHeaders();
    for (const name in early) {
      if (headers[name] !== undefined) continue;
      const line = lineOf(name, early[name]);
      if (line === undefined) return undefined;
      text += line;
    }
    for (const name in headers) {
      const line = lineOf(name, headers[name]);
      if (line === undefined) return undefined;
      text += line;
    }
    return headers["date"] === undefined && early["date"] === undefined ? `${text}Date: ${httpDate()}\r\n` : text;
  }

  #writeByNode(): void {
    if (this.#isNodes) return;
    if (this.#isOpen) throw new Error("The body of this reply is written by its event stream's writer.");
    this.#isNodes = true;
    if (this.destroyed || this.finished) return;
    const { socket } = this.req;
    const internals = this as unknown as Internals;
    internals._keepAliveTimeout = this.#owner.keepAliveTimeoutMs;
    this.assignSocket(socket);
    this.on("finish", () => {
      this.detachSocket(socket);
      process.nextTick(() => this.#end(internals._last));
    });
    const head = this.#head;
    this.#head = undefined;
    // Its headers were found to be valid.
    if (head !== undefined) super.writeHead(head.status, head.headers);
  }

  #end(isLast: boolean): void {
    if (!this.#isNodes) this.emit("finish");
    this.close();
    this.#owner.onSent(isLast);
  }
}

function lineOf(name: string, value: OutgoingHttpHeader | undefined): string | undefined {
  if (notPlain.has(name) || !lowerToken.test(name)) return undefined;
  if (typeof value !== "number" && (typeof value !== "string" || invalidInValue.test(value))) return undefined;
  return `${name}: ${value}\r\n`;
}

let dateSecond = 0;
let dateText = "";

/** RFC 9110, section 5.6.7; made once a second. */
function httpDate(): string {
  const nowMs = Date.now();
  const second = Math.floor(nowMs / 1_000);
  if (second !== dateSecond) {
    dateSecond = second;
    dateText = new Date(nowMs).toUTCString();
  }
  return dateText;
}
