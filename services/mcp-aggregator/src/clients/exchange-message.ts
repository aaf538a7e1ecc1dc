import { isMediaType } from "@gatehouse/http-fields";
import type { JsonPart } from "@gatehouse/json";
import { Pace } from "@gatehouse/pace";
import {
  ByteSink,
  EventStreamParser,
  EventTooLarge,
  type ReplyHeaders,
  type ServerEvent,
} from "@gatehouse/upstream-http";
import type { Dispatcher } from "undici";
import { AnswerReader, type ServerRequest } from "../domain/json-rpc-answer.ts";
import type { Reply } from "../domain/judge-protocol-mode.ts";
import { UpstreamFailure } from "../domain/upstream-failure.ts";
import type { CallScope } from "./call-scope.ts";
import { Exchange, type ExchangeRequest, type ReplyConsumer } from "./exchange.ts";
import { MessageQueue } from "./message-queue.ts";
import { readMessage } from "./read-message.ts";

/** Longest time for the rest of a stream after its answer, before its connection is closed. */
const lingerMs = 500;

/** Point of an event stream after which it can be resumed. */
export interface ResumePoint {
  readonly lastEventId: string;
  /** Wait that the upstream asked for, milliseconds. */
  readonly retryMs: number | undefined;
}

/** The answer to a message, from a JSON body or an event stream. */
export interface HttpReply extends Reply {
  /** Empty where the upstream sent none. */
  readonly sessionId: string;
  /** Set for a stream that ended before its answer; undefined where it cannot be resumed. */
  readonly resume: ResumePoint | undefined;
}

interface MessageExchange {
  readonly request: ExchangeRequest;
  /** Id of the JSON-RPC request, as JSON text; undefined for a notification. */
  readonly id: string | undefined;
  readonly scope: CallScope;
  readonly onServerRequest: (request: ServerRequest) => void;
  /** Point after which the request resumes a stream: it holds until an event of this exchange moves it. */
  readonly resumes?: ResumePoint;
}

/**
 * Sends one message, or resumes a stream, and reads up to its answer: JSON or an event stream, even if the `Content-Type` says
 * otherwise. @throws UpstreamFailure
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

/** Bytes of events read before other work runs, where a complete body turns out to be an event stream. */
const eventSliceBytes = 64 * 1024;

class ReplyReader implements ReplyConsumer {
  readonly #message: MessageExchange;
  readonly #outcome: Outcome;
  readonly #answers: AnswerReader;
  readonly #body = new ByteSink();
  #exchange: Exchange | undefined;
  #form: BodyForm = "unknown";
  #events: EventStreamParser | undefined;
  readonly #messages = new MessageQueue((message) => this.#readMessage(message));
  /** Reading that continues in later turns. */
  #reading: Promise<void> | undefined;
  #hasEnded = false;
  #status = 0;
  #headers: ReplyHeaders = {};
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

  onHead(status: number, headers: ReplyHeaders): void {
    this.#status = status;
    this.#headers = headers;
    if (isMediaType(headers["content-type"], "text/event-stream")) this.#form = "events";
  }

  onBytes(bytes: Buffer): Promise<void> | undefined {
    if (this.#isSettled) return undefined;
    if (this.#form === "events" && this.#events === undefined && looksLikeJson(bytes)) this.#form = "json";
    if (this.#form === "events") return this.#readEvents(bytes);
    this.#body.append(bytes);
    return undefined;
  }

  onEnd(): void {
    clearTimeout(this.#linger);
    if (this.#isSettled) return;
    if (this.#body.length > 0) {
      void this.#run(this.#readBody(this.#body.take()));
      return;
    }
    this.#queue(this.#events?.end());
    this.#hasEnded = true;
    void this.#readOn();
  }

  onFailure(failure: UpstreamFailure): void {
    clearTimeout(this.#linger);
    if (this.#isSettled) return;
    // A broken stream can be resumed like one that ends early; the bounds of the call cover both.
    if (failure.kind === "broken" && this.#resume() !== undefined) {
      this.#settle();
      return;
    }
    this.#isSettled = true;
    this.#outcome.reject(failure);
  }

  async #readBody(bytes: Buffer): Promise<void> {
    const message = await this.#within(readMessage(bytes));
    if (message !== undefined) this.#answers.read(message);
    else if (/^\s*(?:event|data|id|retry)?:/.test(bytes.toString("latin1", 0, eventSliceBytes))) {
      const pace = new Pace();
      for (let start = 0; start < bytes.length && !this.#isSettled; start += eventSliceBytes) {
        await this.#readEvents(bytes.subarray(start, start + eventSliceBytes));
        await this.#within(pace.rest());
      }
      this.#queue(this.#events?.end());
    }
    this.#hasEnded = true;
    void this.#readOn();
  }

  #readEvents(bytes: Buffer): Promise<void> | undefined {
    this.#events ??= new EventStreamParser(this.#message.request.sizeBytesMax);
    try {
      for (const event of this.#events.push(bytes)) this.#queue(event);
    } catch (err) {
      if (!(err instanceof EventTooLarge)) throw err;
      throw new UpstreamFailure("too_large", { detail: err.message, cause: err });
    }
    return this.#readOn();
  }

  #queue(event: ServerEvent | undefined): void {
    // A first event without data only makes the stream resumable by its id.
    if (event !== undefined && event.data.length > 0) this.#messages.push(event.data);
  }

  #readMessage(message: JsonPart | undefined): void {
    if (message !== undefined && !this.#isSettled) this.#answers.read(message);
    if (this.#answers.answer !== undefined) this.#messages.clear();
  }

  /** Reads waiting messages. @returns a promise where that takes later turns */
  #readOn(): Promise<void> | undefined {
    if (this.#reading !== undefined || this.#isSettled) return this.#reading;
    const reading = this.#messages.read();
    if (reading === undefined) this.#settleWhereDone();
    else this.#reading = this.#run(this.#readLater(reading));
    return this.#reading;
  }

  async #readLater(reading: Promise<void>): Promise<void> {
    await this.#within(reading);
    this.#reading = undefined;
    this.#settleWhereDone();
  }

  #settleWhereDone(): void {
    if (this.#isSettled) return;
    if (this.#hasEnded) this.#settle();
    else if (this.#answers.answer !== undefined) {
      this.#settle();
      // Reads the rest of the stream briefly, so that its connection can be reused.
      this.#linger = setTimeout(() => this.#exchange?.abandon(), lingerMs);
    }
  }

  /** Bounds the reading by the call as well, even after the last byte. */
  async #within<T>(reading: T | Promise<T>): Promise<T> {
    return reading instanceof Promise ? await this.#message.scope.race(reading) : reading;
  }

  /** A failure outside the exchange's listeners ends it as well. */
  #run(reading: Promise<void>): Promise<void> {
    return reading.catch((cause: unknown) => {
      const unreadable = { detail: "a reply that cannot be read", cause };
      this.#exchange?.abandon();
      this.onFailure(cause instanceof UpstreamFailure ? cause : new UpstreamFailure("malformed", unreadable));
    });
  }

  #resume(): ResumePoint | undefined {
    const { resumes } = this.#message;
    const lastEventId = this.#events?.lastEventId || resumes?.lastEventId;
    if (lastEventId === undefined || this.#answers.answer !== undefined) return undefined;
    return { lastEventId, retryMs: this.#events?.retryMs ?? resumes?.retryMs };
  }

  #settle(): void {
    this.#isSettled = true;
    const { answer, stray } = this.#answers;
    this.#outcome.resolve({
      status: this.#status,
      answer,
      stray,
      sessionId: this.#headers["mcp-session-id"] ?? "",
      resume: this.#resume(),
    });
  }
}

function looksLikeJson(bytes: Buffer): boolean {
  const first = bytes.find((byte) => byte > 0x20);
  return first === 0x7b || first === 0x5b;
}
