import type { ServerResponse } from "node:http";
import type { EventStreamWriter } from "./event-stream.ts";

interface KeepAlive {
  /** Time for which the head of a stream waits for an answer that has to be whole, ms. */
  readonly afterMs: number;
  /** Between two comments from then on, ms. */
  readonly everyMs: number;
}

/**
 * Errors that come within 10 s keep their HTTP status; those who stand between caller and gateway rarely end a connection
 * before they have seen nothing for 30 s.
 */
const keepAliveDefault: KeepAlive = { afterMs: 10_000, everyMs: 5_000 };

/**
 * Keeps the connection of a caller alive who asked for a stream and waits for an answer that is known whole first. The head is
 * sent when the answer has taken too long, and comments follow; an error is then an event of the stream.
 */
export class AwaitedEventStream {
  readonly #res: ServerResponse;
  readonly #keepAlive: KeepAlive;
  #timer: NodeJS.Timeout | undefined;
  #writer: EventStreamWriter | undefined;

  constructor(res: ServerResponse, keepAlive: KeepAlive = keepAliveDefault) {
    this.#res = res;
    this.#keepAlive = keepAlive;
  }

  /**
   * The answer is asked for.
   * @param open sends the head: from then on the status is 200
   */
  begin(open: () => EventStreamWriter): void {
    this.#timer = setTimeout(() => this.#open(open), this.#keepAlive.afterMs);
  }

  /** The answer or its error is there. Answers with the stream, if its head has been sent. */
  end(): EventStreamWriter | undefined {
    clearTimeout(this.#timer);
    return this.#writer;
  }

  #open(open: () => EventStreamWriter): void {
    if (this.#res.destroyed) return;
    const writer = open();
    this.#writer = writer;
    const comment = () => writer.comment("keep-alive");
    comment();
    this.#timer = setInterval(comment, this.#keepAlive.everyMs);
  }
}
