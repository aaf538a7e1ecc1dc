import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { ConnectionLost, ReplyLate } from "./client-error.ts";
import type { CallPlace, HttpCall } from "./http-call.ts";
import type { ReplyFields, ReplyHead } from "./reply-head.ts";
import { ReplyReader, type ReplySink } from "./reply-reader.ts";
import { RequestStream } from "./request-stream.ts";
import { SocketReads } from "./socket-reads.ts";

export interface ConnectionBounds {
  /** Time for which an idle connection is kept where the server says nothing, ms. */
  readonly keepAliveMs: number;
  /** Longest time for which a server may have an idle connection kept, ms. */
  readonly keepAliveMsMax: number;
  /** Largest size of a reply's heads and trailers together, bytes. */
  readonly headBytesMax: number;
}

/** The set of connections that a connection belongs to. */
export interface ConnectionOwner {
  /** The connection may carry another call, once the loop has read what else has arrived. */
  onFree(connection: Connection): void;
  /** The connection takes no further call; called once. */
  onClosed(connection: Connection): void;
}

/** An idle connection is closed this much before the server may close it, ms: a request on its way would be lost. */
const keepAliveMarginMs = 2_000;
/** Timers of the platform may fire this much early, ms. */
const timerEarlyMs = 1;
/** Longest bytes of a body that are sent in one text with the head: a copy is cheaper than a write of two pieces. */
const joinedBytesMax = 16 * 1_024;
const beyondAscii = /[\u0080-\u00ff]/;
const never = Number.POSITIVE_INFINITY;

/** One connection to a server, which carries one call at a time. Its listeners and its timer are set once for all calls. */
export class Connection implements CallPlace, ReplySink {
  readonly #socket: Socket;
  readonly #reads: SocketReads;
  readonly #owner: ConnectionOwner;
  readonly #bounds: ConnectionBounds;
  readonly #reader: ReplyReader;
  #call: HttpCall | undefined;
  #stream: RequestStream | undefined;
  /** Time for which the connection may be idle after the current reply, ms; 0 where it ends with it. */
  #keepMs = 0;
  #hasHead = false;
  #isClosed = false;
  /** Reason for a call that begins while the connection is closed. */
  #closedFor: unknown;
  /** End of the current wait, on the clock of `performance.now()`. */
  #deadlineMs = never;
  /** A deadline that moves later does not touch the timer, which then fires too early, and is set again. */
  #timer: NodeJS.Timeout | undefined;
  #timerAtMs = never;

  constructor(socket: Socket, owner: ConnectionOwner, bounds: ConnectionBounds) {
    this.#socket = socket;
    this.#owner = owner;
    this.#bounds = bounds;
    this.#reader = new ReplyReader(this, bounds.headBytesMax);
    this.#reads = new SocketReads(socket, {
      onBytes: (bytes) => this.#reader.read(bytes),
      onEnd: () => this.#endOfInput(),
      onClose: () => this.#fail(lost()),
      onFailure: (cause) => this.#fail(cause),
    });
  }

  /** Whether an idle connection is within the time for which its server keeps it. */
  get isFresh(): boolean {
    return !this.#isClosed && performance.now() < this.#deadlineMs;
  }

  /** Waits for the next call, idle. */
  idle(): void {
    if (this.#deadlineMs !== never) return;
    this.#socket.unref();
    this.#waitFor(this.#bounds.keepAliveMs);
  }

  /** Sends a call that has begun. */
  start(call: HttpCall): void {
    // Closed by the call's own handler as it began.
    if (this.#isClosed) return call.fail(this.#closedFor ?? lost());
    this.#call = call;
    this.#keepMs = 0;
    this.#hasHead = false;
    this.#deadlineMs = never;
    this.#socket.ref();
    this.#reader.begin(call.request.method);
    if (call.paused) this.pause();
    this.#send(call);
  }

  drop(call: HttpCall): void {
    if (call !== this.#call) return;
    this.#call = undefined;
    this.close();
  }

  pause(): void {
    this.#deadlineMs = never;
    this.#reads.pause();
  }

  resume(): void {
    this.#reads.resume();
    this.#wait();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#reader.stop();
    this.#stream?.stop();
    clearTimeout(this.#timer);
    this.#socket.destroy();
    this.#owner.onClosed(this);
  }

  destroy(cause: Error): void {
    this.#fail(cause);
  }

  onHead(head: ReplyHead): void {
    const call = this.#call;
    if (call === undefined) return;
    if (head.isPersistent && !call.request.isLast) this.#keepMs = this.#keepMsOf(head);
    this.#hasHead = true;
    this.#wait();
    call.head(head);
  }

  onBytes(bytes: Buffer): void {
    this.#wait();
    this.#call?.bytes(bytes);
  }

  onEnd(trailers: ReplyFields): void {
    const call = this.#call;
    this.#call = undefined;
    // A next request would wait behind bytes that the server may never read.
    const isSent = this.#stream?.isActive !== true && this.#socket.writableLength === 0;
    if (this.#keepMs > 0 && isSent) this.#rest(call);
    else this.close();
    call?.end(trailers);
  }

  #send(call: HttpCall): void {
    const { text, body, contentLength } = call.request;
    const socket = this.#socket;
    if (body === null) socket.write(text, "latin1");
    else if (body instanceof Readable) {
      socket.write(text, "latin1");
      this.#stream = new RequestStream(body, contentLength, socket, {
        onSent: () => this.#sent(call),
        onStall: () => this.#wait(),
        onFailure: (cause) => this.#fail(cause),
      });
      return;
    } else if (typeof body === "string" && !beyondAscii.test(text)) {
      // One write; Latin-1 is faster to encode, and the same for ASCII, whose texts are as long as their bytes.
      socket.write(text + body, contentLength === body.length ? "latin1" : "utf8");
    } else if (typeof body !== "string" && body.length <= joinedBytesMax) {
      socket.write(text + latin1Of(body), "latin1");
    } else {
      socket.cork();
      socket.write(text, "latin1");
      socket.write(body);
      socket.uncork();
    }
    this.#sent(call);
  }

  #sent(call: HttpCall): void {
    this.#stream = undefined;
    if (call !== this.#call) return;
    this.#wait();
    call.sent();
  }

  #rest(call: HttpCall | undefined): void {
    if (call?.paused === true) this.#reads.resume();
    this.#socket.unref();
    this.#waitFor(this.#keepMs);
    this.#owner.onFree(this);
  }

  #keepMsOf({ keepAliveMs }: ReplyHead): number {
    const { keepAliveMs: usualMs, keepAliveMsMax } = this.#bounds;
    return keepAliveMs === undefined ? usualMs : Math.min(keepAliveMs - keepAliveMarginMs, keepAliveMsMax);
  }

  #endOfInput(): void {
    if (!this.#reader.close()) this.#fail(lost());
  }

  #fail(cause: unknown): void {
    if (!this.#isClosed) this.#closedFor = cause;
    const call = this.#call;
    this.#call = undefined;
    this.close();
    call?.fail(cause);
  }

  /**
   * Begins the wait for the next part of the reply, or for its head. Before its head, a server may wait for the request's body: it
   * is late only where it does not read what it was sent.
   */
  #wait(): void {
    const call = this.#call;
    if (call === undefined || call.paused) return;
    const { headersTimeoutMs, bodyTimeoutMs } = call.request;
    const isServersTurn = this.#stream === undefined || this.#stream.isStalled;
    this.#waitFor(this.#hasHead ? bodyTimeoutMs : isServersTurn ? headersTimeoutMs : 0);
  }

  #waitFor(ms: number): void {
    if (ms === 0) {
      this.#deadlineMs = never;
      return;
    }
    const nowMs = performance.now();
    this.#deadlineMs = nowMs + ms;
    if (this.#deadlineMs < this.#timerAtMs) this.#setTimer(nowMs);
  }

  #setTimer(nowMs: number): void {
    clearTimeout(this.#timer);
    this.#timerAtMs = this.#deadlineMs;
    this.#timer = setTimeout(() => this.#look(), this.#deadlineMs - nowMs).unref();
  }

  #look(): void {
    const nowMs = performance.now();
    this.#timerAtMs = never;
    if (this.#deadlineMs <= nowMs + timerEarlyMs)
      this.#fail(new ReplyLate("The reply, or the next part of it, is late."));
    else if (this.#deadlineMs !== never) this.#setTimer(nowMs);
  }
}

function latin1Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

/** Error of a connection that ended without another one. */
export function lost(): ConnectionLost {
  return new ConnectionLost("The server closed the connection before the end of its reply.");
}
