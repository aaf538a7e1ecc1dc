import { channel } from "node:diagnostics_channel";
import type { RequestListener, Server } from "node:http";
import type { Socket } from "node:net";
import { guarded } from "@gatehouse/async";
import { WholeRequest } from "../whole-request.ts";
import { endOfHead, parsePlainHead, type PlainHead } from "./plain-head.ts";
import { PlainReply, type ReplyOwner } from "./plain-reply.ts";

/** Shared by the connections of one server. */
export interface PlainOwner {
  readonly server: Server;
  readonly listener: RequestListener;
  /** Takes a request whose client has left inside its body; its reply is closed. */
  readonly onLeft: RequestListener;
  readonly takes: (url: string) => boolean;
  readonly keepAliveTimeoutMs: number;
  readonly headBytesMax: number;
  /** Sum of the bodies, as announced, that its connections wait for. */
  waitingBytes: number;
  /** Lets Node's parser read a connection from now on. */
  readonly handOver: (socket: Socket) => void;
  onEnd(connection: PlainConnection): void;
}

/** Node's channel for the requests that a server begins. */
const requestBegan = channel("http.server.request.start");
/** Largest body that is collected here; others are read by Node, piece by piece. */
export const bodyBytesMax = 64 * 1_024;
/**
 * Largest sum of the bodies, as announced, that a server's connections wait for: nothing else has admitted these requests. Further
 * ones are Node's.
 */
export const waitingBytesMax = 16 * 1_048_576;
/** Reads of one body; more are Node's, which is made for many small ones. */
const bodyReadsMax = 16;
/** Later requests that are held while one is answered, in bytes and reads; more are read when it is. */
const heldMax = { bytes: 64 * 1_024, reads: 16 };

/** Place of a connection on its socket: garbage collection would scan a WeakMap each time. */
const placeOf: unique symbol = Symbol("plain");

interface Placed extends Socket {
  [placeOf]?: PlainConnection | undefined;
}

/** Whether a connection that Node does not read has no request, not even a part of one. */
export function isPlainAtRest(socket: Placed): boolean {
  return socket[placeOf]?.isAtRest === true;
}

interface PendingBody {
  readonly head: PlainHead;
  /** All bytes of the request so far, for Node if the rest is late. */
  readonly reads: Buffer[];
  readonly bodyAt: number;
  left: number;
}

/**
 * A connection whose requests have so far all been plain (`parsePlainHead`): one after another, each head in one read, each body
 * small. With the first request that is not, Node's parser takes over the connection until its end, with the bytes of that request.
 */
export class PlainConnection implements ReplyOwner {
  readonly #socket: Socket;
  readonly #owner: PlainOwner;
  #req: WholeRequest | undefined;
  #reply: PlainReply | undefined;
  #pending: PendingBody | undefined;
  /** Bytes behind the request that is being answered. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  #hasAnswered = false;
  /** Looks since a request has begun to come or a reply was sent. */
  quietLooks = 0;
  readonly #onData: (bytes: Buffer) => void;
  readonly #onEnd: () => void;
  readonly #onClose = () => this.#close();
  readonly #onDrain = () => void this.#reply?.emit("drain");

  constructor(socket: Placed, owner: PlainOwner) {
    this.#socket = socket;
    this.#owner = owner;
    const fail = () => void socket.destroy();
    const onData = guarded((bytes: Buffer) => this.#read(bytes), fail);
    const onEnd = guarded(() => this.#endOfInput(), fail);
    this.#onData = onData;
    this.#onEnd = onEnd;
    socket[placeOf] = this;
    socket.on("data", onData);
    socket.on("end", onEnd);
    socket.on("drain", this.#onDrain);
    socket.on("close", this.#onClose);
    socket.on("error", fail);
  }

  get keepAliveTimeoutMs(): number {
    return this.#owner.keepAliveTimeoutMs;
  }

  get isAtRest(): boolean {
    return this.#hasAnswered && this.#reply === undefined && this.#pending === undefined;
  }

  get isBusy(): boolean {
    return this.#reply !== undefined;
  }

  end(): void {
    this.#socket.destroy();
  }

  onSent(isLast: boolean): void {
    this.#req = undefined;
    this.#reply = undefined;
    this.#hasAnswered = true;
    this.quietLooks = 0;
    if (isLast) this.#socket.destroySoon();
    else if (this.#heldBytes > 0) this.handOver();
  }

  /** Gives the connection to Node, with the bytes of a request that is incomplete. */
  handOver(): void {
    const socket: Placed = this.#socket;
    const reads = [...(this.#endWait()?.reads ?? []), ...this.#held];
    const isPaused = this.#isFull;
    socket.off("data", this.#onData);
    socket.off("end", this.#onEnd);
    socket.off("drain", this.#onDrain);
    socket.off("close", this.#onClose);
    socket[placeOf] = undefined;
    this.#owner.onEnd(this);
    if (socket.destroyed) return;
    this.#owner.handOver(socket);
    for (const bytes of reads) if (!socket.destroyed) socket.emit("data", bytes);
    if (isPaused) socket.resume();
  }

  #read(bytes: Buffer): void {
    // Not for a part of a body: a client that sends it slowly would keep the request from Node, and from its bounds of time.
    if (this.#pending !== undefined) return this.#readBody(this.#pending, bytes);
    this.quietLooks = 0;
    return this.#reply === undefined ? this.#readHead(bytes) : this.#hold(bytes);
  }

  /** Goes on reading, to see the client leave. */
  #hold(bytes: Buffer): void {
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
    if (this.#isFull) this.#socket.pause();
  }

  get #isFull(): boolean {
    return this.#heldBytes > heldMax.bytes || this.#held.length > heldMax.reads;
  }

  #readHead(bytes: Buffer): void {
    const bodyAt = endOfHead(bytes) ?? Number.POSITIVE_INFINITY;
    const head =
      bodyAt <= this.#owner.headBytesMax ? parsePlainHead(bytes.toString("latin1", 0, bodyAt - 2)) : undefined;
    const left = head === undefined ? -1 : head.bodyBytes - (bytes.length - bodyAt);
    // More bytes than a request has are the beginning of another.
    if (head === undefined || !this.#owner.takes(head.url) || head.bodyBytes > bodyBytesMax || left < 0) {
      this.#held.push(bytes);
      this.handOver();
    } else if (left === 0) this.#begin(head, bytes.subarray(bodyAt));
    else this.#wait({ head, reads: [bytes], bodyAt, left });
  }

  #wait(pending: PendingBody): void {
    this.#pending = pending;
    this.#owner.waitingBytes += pending.head.bodyBytes;
    if (this.#owner.waitingBytes > waitingBytesMax) this.handOver();
  }

  /** @returns what was waited for */
  #endWait(): PendingBody | undefined {
    const pending = this.#pending;
    this.#pending = undefined;
    if (pending !== undefined) this.#owner.waitingBytes -= pending.head.bodyBytes;
    return pending;
  }

  #readBody(pending: PendingBody, bytes: Buffer): void {
    pending.reads.push(bytes);
    pending.left -= bytes.length;
    if (pending.left < 0 || pending.reads.length > bodyReadsMax) return this.handOver();
    if (pending.left > 0) return undefined;
    this.#endWait();
    return this.#begin(pending.head, Buffer.concat(pending.reads).subarray(pending.bodyAt));
  }

  #begin({ url, headers, rawHeaders }: PlainHead, body: Buffer): void {
    const req = new WholeRequest(this.#socket, { method: "POST", url, headers, body });
    req.rawHeaders = rawHeaders;
    const reply = new PlainReply(req, this);
    this.#req = req;
    this.#reply = reply;
    const { listener, server } = this.#owner;
    if (requestBegan.hasSubscribers)
      requestBegan.publish({ request: req, response: reply, socket: this.#socket, server });
    listener(req, reply);
  }

  /** As with Node, a request whose connection is closed inside its body has begun: its handler records that the client left. */
  #beginClosed({ url, headers, rawHeaders }: PlainHead): void {
    const req = new WholeRequest(this.#socket, { method: "POST", url, headers, body: Buffer.alloc(0) });
    req.rawHeaders = rawHeaders;
    req.complete = false;
    req.takeBody();
    const reply = new PlainReply(req, this);
    req.destroy();
    reply.close();
    this.#owner.onLeft(req, reply);
  }

  /** As with Node, a client that closes its side waits for no reply; a part of a request is Node's to refuse. */
  #endOfInput(): void {
    const isIncomplete = this.#pending !== undefined;
    if (isIncomplete) this.handOver();
    if (isIncomplete) this.#socket.emit("end");
    else this.#socket.end();
  }

  #close(): void {
    const pending = this.#endWait();
    if (pending !== undefined) this.#beginClosed(pending.head);
    const req = this.#req;
    const reply = this.#reply;
    this.#owner.onEnd(this);
    if (reply === undefined || req === undefined) return;
    req.destroy();
    reply.close();
  }
}
