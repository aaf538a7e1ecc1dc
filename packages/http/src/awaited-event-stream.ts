import type { ServerResponse } from "node:http";
import type { EventStreamWriter } from "./event-stream.ts";
import { isReplyOver } from "./reply-end.ts";

interface KeepAlive {
  /** Time after which the head of a stream is sent before the whole answer is ready, ms. */
  readonly afterMs: number;
  /** Interval of comments after that, ms. */
  readonly everyMs: number;
}

/** Errors within 10 s keep their HTTP status; intermediaries rarely end a connection that was silent for less than 30 s. */
const keepAliveDefault: KeepAlive = { afterMs: 10_000, everyMs: 5_000 };

/**
 * Keeps the connection of a caller alive who asked for a stream and waits for an answer that is only known whole. After `afterMs`
 * the head is sent, and comments follow; a later error is an event of the stream.
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

  /** Starts the wait for the answer. @param open sends the head: from then on the status is 200 */
  begin(open: () => EventStreamWriter): void {
    this.#timer = setTimeout(() => this.#open(open), this.#keepAlive.afterMs);
  }

  /** Ends the wait. Returns the stream if its head has been sent. */
  end(): EventStreamWriter | undefined {
    clearTimeout(this.#timer);
    return this.#writer;
  }

  #open(open: () => EventStreamWriter): void {
    if (isReplyOver(this.#res)) return;
    const writer = open();
    this.#writer = writer;
    const comment = () => writer.comment("keep-alive");
    comment();
    this.#timer = setInterval(comment, this.#keepAlive.everyMs);
  }
}
