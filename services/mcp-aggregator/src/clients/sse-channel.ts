import type { IncomingHttpHeaders } from "node:http";
import { CallScope } from "../domain/call-scope.ts";
import { parseExactJson } from "@gatehouse/json-rpc";
import { AnswerReader, type ServerRequest } from "../domain/json-rpc-answer.ts";
import { UpstreamFailure } from "../domain/upstream-failure.ts";
import type { Reply } from "../domain/verdict.ts";
import type { Channel, ChannelRequest } from "./channel.ts";
import { EventStreamParser } from "./event-stream-parser.ts";
import { Exchange, type ReplyConsumer } from "./exchange.ts";
import { exchangeMessage } from "./post-message.ts";
import type { StreamableOptions } from "./streamable-channel.ts";

/** A session's stream is never done, so no call's time bounds it. The largest time that a timer takes. */
const streamTimeoutMs = 2_147_483_647;
/** Silence after which a stream is given up; servers keep theirs alive with comments, or leave it silent for long. */
const streamIdleMs = 0;
const notifyTimeoutMs = 2_000;

interface Waiting {
  readonly reader: AnswerReader;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (failure: UpstreamFailure) => void;
}

/**
 * HTTP with server-sent events (revision 2024-11-05): a stream that stays open, whose first event names the address for messages,
 * and whose later events hold their answers. `open` must be called first.
 */
export class SseChannel implements Channel, ReplyConsumer {
  readonly hadHandshake = true;
  readonly #options: StreamableOptions;
  readonly #scope = new CallScope({ timeoutMs: streamTimeoutMs });
  readonly #events = new EventStreamParser();
  readonly #waiting = new Map<number, Waiting>();
  readonly #opened = Promise.withResolvers<URL>();
  #endpoint: URL | undefined;
  #failure: UpstreamFailure | undefined;

  constructor(options: StreamableOptions) {
    this.#options = options;
    this.#opened.promise.catch(() => {});
  }

  /** Resolves when the upstream has named its address for messages. @throws UpstreamFailure where it is no such server. */
  async open(scope: CallScope): Promise<void> {
    const { dispatcher, url, headers } = this.#options;
    const { "content-type": _type, ...rest } = headers;
    const request = {
      method: "GET",
      url,
      headers: { ...rest, accept: "text/event-stream" },
      body: null,
      idleTimeoutMs: streamIdleMs,
      sizeBytesMax: Number.MAX_SAFE_INTEGER,
    } as const;
    void new Exchange(dispatcher, request, { scope: this.#scope, consumer: this });
    try {
      await scope.race(this.#opened.promise);
    } catch (err) {
      this.#scope.end(new UpstreamFailure("cancelled"));
      throw err;
    }
  }

  async send({ id, envelope, scope }: ChannelRequest): Promise<Reply> {
    // A stream that has ended is a session that is gone: the request has not been executed.
    if (this.#failure !== undefined) return lostSession;
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    const reader = new AnswerReader(id, () => {});
    this.#waiting.set(id, { reader, resolve, reject });
    promise.catch(() => {});
    try {
      const posted = await this.#post(envelope, scope);
      if (posted.answer !== undefined || posted.status < 200 || posted.status >= 300) return posted;
      return await scope.race(promise);
    } finally {
      this.#waiting.delete(id);
    }
  }

  async notify(envelope: string): Promise<void> {
    using scope = new CallScope({ timeoutMs: notifyTimeoutMs });
    await this.#post(envelope, scope).catch(() => {});
  }

  async close(): Promise<void> {
    this.#lose(new UpstreamFailure("cancelled"));
    this.#scope.end(new UpstreamFailure("cancelled"));
    await Promise.resolve();
  }

  onHead(status: number, headers: IncomingHttpHeaders): void {
    if (status === 200 && headers["content-type"]?.startsWith("text/event-stream") === true) return;
    this.#scope.end(new UpstreamFailure("status", { detail: `HTTP ${status}`, wasSent: false }));
  }

  onBytes(bytes: Buffer): void {
    try {
      for (const { name, data } of this.#events.push(bytes)) this.#readEvent(name, data);
    } catch (err) {
      if (!(err instanceof RangeError) && !(err instanceof SyntaxError)) throw err;
      this.#scope.end(new UpstreamFailure("malformed", { cause: err }));
    }
  }

  onEnd(): void {
    this.#lose(new UpstreamFailure("broken", { detail: "the session's stream ended" }));
  }

  onFailure(failure: UpstreamFailure): void {
    this.#lose(failure);
  }

  #readEvent(name: string, data: string): void {
    if (name === "endpoint") this.#setEndpoint(data);
    if (name !== "message" || data === "") return;
    const value = parseExactJson(data);
    // Requests of the upstream's own belong to the session, and are answered once.
    new AnswerReader(undefined, (request) => this.#answer(request)).read(value);
    for (const { reader, resolve } of this.#waiting.values()) {
      reader.read(value);
      if (reader.answer === undefined) continue;
      resolve({ status: 200, answer: reader.answer, stray: undefined, location: undefined });
      return;
    }
  }

  /** Messages carry the configured token, so they go to the same origin only. */
  #setEndpoint(data: string): void {
    const { url } = this.#options;
    if (this.#endpoint !== undefined || !URL.canParse(data, url.href)) return;
    const endpoint = new URL(data, url);
    if (endpoint.origin !== url.origin) {
      this.#scope.end(
        new UpstreamFailure("redirected", { detail: "the message address has another origin", wasSent: false }),
      );
      return;
    }
    this.#endpoint = endpoint;
    this.#opened.resolve(endpoint);
  }

  #lose(failure: UpstreamFailure): void {
    if (this.#failure !== undefined) return;
    this.#failure = failure;
    this.#scope[Symbol.dispose]();
    this.#opened.reject(failure);
    for (const { reject } of this.#waiting.values()) reject(failure);
  }

  #answer({ id, method }: ServerRequest): void {
    const outcome =
      method === "ping" ? { result: {} } : { error: { code: -32601, message: "The gateway does not offer this." } };
    void this.notify(JSON.stringify({ jsonrpc: "2.0", id, ...outcome }));
  }

  async #post(envelope: string, scope: CallScope): Promise<Reply> {
    const { dispatcher, headers, bounds } = this.#options;
    const url = this.#endpoint;
    if (url === undefined) return lostSession;
    const request = {
      method: "POST",
      url,
      headers,
      body: envelope,
      idleTimeoutMs: bounds.idleTimeoutMs,
      sizeBytesMax: bounds.replyBytesMax,
    } as const;
    return await exchangeMessage(dispatcher, { request, id: undefined, scope, onServerRequest: () => {} });
  }
}

/** As an upstream answers to a session that it does not know. */
const lostSession: Reply = { status: 404, answer: undefined, stray: undefined, location: undefined };
