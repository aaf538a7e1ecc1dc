import { once } from "node:events";
import type { OutgoingHttpHeaders, ServerResponse } from "node:http";

/** Bytes that may wait for a slow reader before the producer must pause. */
const pendingBytesMax = 256 * 1024;

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
  }

  /** Queues one event; `data` is a single line, such as JSON text. */
  send(data: string): void {
    this.#pending += `data: ${data}\n\n`;
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#flush());
  }

  /** Resolves when the reader has caught up; at once when it keeps pace or is gone. */
  async drained(): Promise<void> {
    if (this.#res.destroyed || this.#res.writableLength < pendingBytesMax) return;
    await Promise.race([once(this.#res, "drain"), once(this.#res, "close")]);
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
