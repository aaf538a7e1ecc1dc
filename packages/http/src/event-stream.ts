import type { OutgoingHttpHeaders, ServerResponse } from "node:http";

/** Bytes that may wait for a slow reader before the producer must pause. */
const pendingBytesMax = 256 * 1024;

/** Line ends of an event stream (HTML standard, "Parsing an event stream"). */
const lineBreak = /[\r\n]/;
const lineBreaks = /\r\n|\r|\n/g;

/** Writes a `text/event-stream` reply. Events of one tick go out in one write. */
export class EventStreamWriter {
  readonly #res: ServerResponse;
  #pending = "";
  #scheduled = false;

  /** Sends the head at once, so that the client knows that the call was accepted. */
  constructor(res: ServerResponse, headers: OutgoingHttpHeaders = {}) {
    this.#res = res;
    res.writeHead(200, {
      ...headers,
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
    });
    res.flushHeaders();
  }

  /** Sends a comment, which readers pass over: it keeps a connection alive on which nothing else is to be sent yet. */
  comment(text: string): void {
    this.#pending += `: ${text.replaceAll(lineBreaks, " ")}\n\n`;
    this.#flush();
  }

  /** Queues one event. Lines of `data` become lines of the event, so that no text can pass for another event. */
  send(data: string): void {
    this.#pending += `data: ${lineBreak.test(data) ? data.replaceAll(lineBreaks, "\ndata: ") : data}\n\n`;
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#flush());
  }

  /** Whether so much waits for the reader, or for its first write, that the producer is to wait too. */
  get isBehind(): boolean {
    const { destroyed, writableNeedDrain, writableLength } = this.#res;
    if (this.#pending.length >= pendingBytesMax) return true;
    return !destroyed && writableNeedDrain && writableLength >= pendingBytesMax;
  }

  /** Resolves when the reader has caught up; at once when it keeps pace or is gone. */
  async drained(): Promise<void> {
    const res = this.#res;
    // A producer that never yields to the event loop would otherwise fill the queue before its first write.
    if (this.#pending.length >= pendingBytesMax) this.#flush();
    if (res.destroyed || !res.writableNeedDrain || res.writableLength < pendingBytesMax) return;
    await new Promise<void>((resolve) => {
      const settle = () => {
        res.off("drain", settle).off("close", settle);
        resolve();
      };
      res.on("drain", settle).on("close", settle);
    });
  }

  end(): void {
    this.#flush();
    this.#res.end();
  }

  #flush(): void {
    this.#scheduled = false;
    if (this.#pending === "" || this.#res.destroyed || this.#res.writableEnded) return;
    this.#res.write(this.#pending);
    this.#pending = "";
  }
}
