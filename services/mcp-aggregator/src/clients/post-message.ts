import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import type { CallScope } from "../domain/call-scope.ts";
import { parseExactJson } from "@gatehouse/json-rpc";
import { AnswerReader, type ServerRequest } from "../domain/json-rpc-answer.ts";
import { UpstreamFailure } from "../domain/upstream-failure.ts";
import type { Reply } from "../domain/verdict.ts";
import { EventStreamParser } from "./event-stream-parser.ts";
import { Exchange, type ExchangeRequest, type ReplyConsumer } from "./exchange.ts";

/** How long the rest of a stream that has given its answer may take before its connection is given up. */
const lingerMs = 500;

export interface HttpReply extends Reply {
  /** Empty where the upstream sent none. */
  readonly sessionId: string;
  /** Where a stream ended before its answer, and can be resumed. */
  readonly resume: { readonly lastEventId: string; readonly retryMs: number | undefined } | undefined;
}

export interface MessageExchange {
  readonly request: ExchangeRequest;
  /** Of the JSON-RPC request; undefined for a notification. */
  readonly id: number | undefined;
  readonly scope: CallScope;
  readonly onServerRequest: (request: ServerRequest) => void;
}

/**
 * Sends one message, or resumes a stream, and reads until its answer: JSON or an event stream, also where the body is not what its
 * type says. @throws UpstreamFailure
 */
export function exchangeMessage(dispatcher: Dispatcher, message: MessageExchange): Promise<HttpReply> {
  return new Promise((resolve, reject) => {
    const reader = new ReplyReader(message, { resolve, reject });
    reader.start(dispatcher);
  });
}

interface Outcome {
  readonly resolve: (reply: HttpReply) => void;
  readonly reject: (failure: UpstreamFailure) => void;
}

type BodyForm = "unknown" | "json" | "events";

class ReplyReader implements ReplyConsumer {
  readonly #message: MessageExchange;
  readonly #outcome: Outcome;
  readonly #answers: AnswerReader;
  readonly #chunks: Buffer[] = [];
  #exchange: Exchange | undefined;
  #form: BodyForm = "unknown";
  #events: EventStreamParser | undefined;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #isSettled = false;
  #linger: NodeJS.Timeout | undefined;

  constructor(message: MessageExchange, outcome: Outcome) {
    this.#message = message;
    this.#outcome = outcome;
    this.#answers = new AnswerReader(message.id, message.onServerRequest);
  }

  start(dispatcher: Dispatcher): void {
    const { request, scope } = this.#message;
    this.#exchange = new Exchange(dispatcher, request, { scope, consumer: this });
  }

  onHead(status: number, headers: IncomingHttpHeaders): void {
    this.#status = status;
    this.#headers = headers;
    if (headers["content-type"]?.startsWith("text/event-stream") === true) this.#form = "events";
  }

  onBytes(bytes: Buffer): void {
    if (this.#isSettled) return;
    if (this.#form === "events" && this.#events === undefined && looksLikeJson(bytes)) this.#form = "json";
    if (this.#form !== "events") {
      this.#chunks.push(bytes);
      return;
    }
    this.#events ??= new EventStreamParser();
    try {
      for (const event of this.#events.push(bytes)) this.#readEvent(event.data);
    } catch (err) {
      if (!(err instanceof RangeError)) throw err;
      this.#exchange?.fail(new UpstreamFailure("too_large", { detail: err.message }));
      return;
    }
    // The rest of the stream is read for a moment, so that its connection can be used again.
    if (this.#answers.answer !== undefined) {
      this.#settle();
      this.#linger = setTimeout(() => this.#exchange?.abandon(), lingerMs);
    }
  }

  onEnd(): void {
    clearTimeout(this.#linger);
    if (this.#isSettled) return;
    const last = this.#events?.end();
    if (last !== undefined) this.#readEvent(last.data);
    if (this.#chunks.length > 0) this.#readText(Buffer.concat(this.#chunks).toString("utf8"));
    this.#settle();
  }

  onFailure(failure: UpstreamFailure): void {
    clearTimeout(this.#linger);
    if (this.#isSettled) return;
    // A stream that breaks can be resumed as one that ends too early; the bounds of the call hold for both.
    if (failure.kind === "broken" && this.#resume() !== undefined) {
      this.#settle();
      return;
    }
    this.#isSettled = true;
    this.#outcome.reject(failure);
  }

  #readText(text: string): void {
    const json = text.trimStart().replace(/^\uFEFF/, "");
    if (json === "") return;
    const value = tryParse(json);
    if (value !== undefined) this.#answers.read(value);
    else if (/^(?:event|data|id|retry)?:/.test(json)) {
      this.#events = new EventStreamParser();
      for (const event of this.#events.push(Buffer.from(`${json}\n\n`))) this.#readEvent(event.data);
    }
  }

  #readEvent(data: string): void {
    // Streams may begin with an event without data, whose id only makes them resumable.
    if (data === "") return;
    const value = tryParse(data);
    if (value !== undefined) this.#answers.read(value);
  }

  #resume(): HttpReply["resume"] {
    const events = this.#events;
    if (events === undefined || events.lastEventId === "" || this.#answers.answer !== undefined) return undefined;
    return { lastEventId: events.lastEventId, retryMs: events.retryMs };
  }

  #settle(): void {
    this.#isSettled = true;
    const { answer, stray } = this.#answers;
    const sessionId = this.#headers["mcp-session-id"];
    this.#outcome.resolve({
      status: this.#status,
      answer,
      stray,
      location: this.#headers.location,
      sessionId: typeof sessionId === "string" ? sessionId : "",
      resume: this.#resume(),
    });
  }
}

function looksLikeJson(bytes: Buffer): boolean {
  const first = bytes.find((byte) => byte > 0x20);
  return first === 0x7b || first === 0x5b;
}

function tryParse(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch (err) {
    if (!(err instanceof SyntaxError)) throw err;
    return undefined;
  }
}
