import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Writable } from "node:stream";
import { inCheckPhase } from "@gatehouse/async";
import { chunkOf, lastChunk } from "./chunk.ts";
import { PlainReply } from "./plain/plain-reply.ts";

/** Queued length for a slow reader at which the producer must pause. */
const pendingLengthMax = 256 * 1024;

/** Line ends of an event stream (HTML standard, "Parsing an event stream"). */
const lineBreak = /[\r\n]/;
const lineBreaks = /\r\n|\r|\n/g;

/** The reply's writer, stored on it: garbage collection would scan a WeakMap each time. */
const writerOf: unique symbol = Symbol("writer");

interface Written extends ServerResponse {
  [writerOf]?: EventStreamWriter;
}

/** The writer of a reply that is an event stream of this process. */
export function eventStreamWriterOf(res: Written): EventStreamWriter | undefined {
  return res[writerOf];
}

/**
 * Writes a `text/event-stream` reply. Everything sent in one turn of the event loop, head included, goes out in one write after
 * that turn's reads.
 */
export class EventStreamWriter {
  readonly #res: ServerResponse;
  /** The reply, where Node does not write it. */
  readonly #plain: PlainReply | undefined;
  /** Whether the body uses chunked coding; false for HTTP/1.0 clients. */
  readonly #isChunked: boolean;
  /** Head that is still to be written here; Node writes others. */
  #head = "";
  #pending = "";
  #isScheduled = false;
  #isEnded = false;
  #hasWritten = false;
  readonly #onCheck = () => this.#flush();

  constructor(res: Written, headers: OutgoingHttpHeaders = {}) {
    this.#res = res;
    res[writerOf] = this;
    const all = {
      ...headers,
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
    };
    const plain = res instanceof PlainReply ? res : undefined;
    const head = plain?.openChunked(all);
    this.#plain = head === undefined ? undefined : plain;
    this.#head = head ?? "";
    if (head === undefined) res.writeHead(200, all);
    this.#isChunked = head !== undefined || res.chunkedEncoding;
    res.chunkedEncoding = false;
    // The head is sent even before any event, to tell the client that the call was accepted.
    this.#schedule();
  }

  /** Sends a comment, which readers ignore, to keep a connection without events alive. */
  comment(text: string): void {
    this.#pending += `: ${text.replaceAll(lineBreaks, " ")}\n\n`;
    this.#flush();
  }

  /** Queues one event. Lines of `data` become lines of the event, so that no text can forge another event. */
  send(data: string): void {
    this.sendRun(`data: ${lineBreak.test(data) ? data.replaceAll(lineBreaks, "\ndata: ") : data}\n\n`);
  }

  /** Queues events that are already encoded. */
  sendRun(events: string): void {
    if (this.#isEnded) return;
    this.#pending += events;
    this.#schedule();
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Whether the queue is so long that the producer should wait. */
  get isBehind(): boolean {
    return this.#pending.length >= pendingLengthMax || this.#isBlocked;
  }

  /** Resolves when the reader has caught up; at once when it keeps pace or is gone. */
  async drained(): Promise<void> {
    const res = this.#res;
    // A producer that never yields to the event loop would otherwise fill the queue before its first write.
    if (this.#pending.length >= pendingLengthMax) this.#flush();
    if (!this.#isBlocked) return;
    const sink = this.#sink;
    await new Promise<void>((resolve) => {
      const settle = () => {
        sink.off("drain", settle);
        res.off("close", settle);
        resolve();
      };
      sink.on("drain", settle);
      res.on("close", settle);
    });
  }

  end(): void {
    this.#isEnded = true;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    inCheckPhase(this.#onCheck);
  }

  #flush(): void {
    this.#isScheduled = false;
    const res = this.#res;
    if (res.destroyed || res.writableEnded) return;
    const sink = this.#sink;
    this.#hasWritten = true;
    if (this.#head === "" && this.#pending === "" && !this.#isEnded) {
      if (this.#plain === undefined) res.flushHeaders();
      return;
    }
    const { text, encoding } = this.#takePending();
    if (!this.#isEnded) sink.write(text, encoding);
    else if (this.#plain === undefined) res.end(text, encoding);
    else this.#plain.endChunked(text, encoding);
  }

  /** Whether the reader has fallen behind what was written. */
  get #isBlocked(): boolean {
    const { destroyed, writableLength } = this.#res;
    return !destroyed && writableLength >= pendingLengthMax && this.#sink.writableNeedDrain;
  }

  /**
   * Takes writes after the first, which has the head: the connection itself, since the reply would cork it and write in a later
   * tick. A reply has no connection while earlier replies use it, nor where it is carried.
   */
  get #sink(): Writable {
    return this.#plain?.req.socket ?? ((this.#hasWritten && this.#res.socket) || this.#res);
  }

  /** Encodes what is to be written next, the head and the end included; an ASCII text needs no encoder. */
  #takePending(): { readonly text: string; readonly encoding: BufferEncoding } {
    const head = this.#head;
    const events = this.#pending;
    this.#head = "";
    this.#pending = "";
    const bytes = Buffer.byteLength(events);
    const encoding = bytes === events.length ? "latin1" : "utf8";
    const body = this.#isChunked && events !== "" ? chunkOf(events, bytes) : events;
    const end = this.#isChunked && this.#isEnded ? lastChunk : "";
    return { text: head + body + end, encoding };
  }
}
