import { isMediaType } from "@gatehouse/http-fields";
import type { JsonPart } from "@gatehouse/json";
import { EventStreamParser, EventTooLarge, type ReplyHeaders } from "@gatehouse/upstream-http";
import { AnswerReader } from "../domain/json-rpc-answer.ts";
import type { Reply } from "../domain/judge-protocol-mode.ts";
import { UpstreamFailure } from "../domain/upstream-failure.ts";
import { CallScope } from "./call-scope.ts";
import { type Channel, type ChannelRequest, ServerRequests } from "./channel.ts";
import { exchangeMessage } from "./exchange-message.ts";
import { Exchange, type ReplyConsumer } from "./exchange.ts";
import { MessageQueue } from "./message-queue.ts";
import type { StreamableOptions } from "./streamable-channel.ts";

/** No bound: a session's stream has no end. The largest delay of a timer. */
const streamTimeoutMs = 2_147_483_647;
/** No bound: servers may leave a stream silent for long. */
const streamIdleMs = 0;
const notifyTimeoutMs = 2_000;
const endpointBytesMax = 8 * 1024;
/** Unlike the ids of calls, which are numbers. */
const probeId = '"probe"';
const probe = `{"jsonrpc":"2.0","id":${probeId},"method":"ping"}`;

interface Waiting {
  readonly reader: AnswerReader;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (failure: UpstreamFailure) => void;
}

/**
 * HTTP with server-sent events (revision 2024-11-05): a persistent stream, whose first event names the address for messages and
 * whose later events contain answers. Call `open` first. Without an answer, the stream may send no more bytes than a reply may
 * have; a session that exceeds this is closed.
 */
export class SseChannel implements Channel, ReplyConsumer {
  readonly hadHandshake = true;
  readonly #options: StreamableOptions;
  readonly #scope = new CallScope(streamTimeoutMs);
  readonly #events: EventStreamParser;
  readonly #serverRequests = new ServerRequests(async (envelope) => await this.notify(envelope));
  readonly #waiting = new Map<string, Waiting>();
  readonly #opened = Promise.withResolvers<URL>();
  #endpoint: URL | undefined;
  #failure: UpstreamFailure | undefined;
  /** Bytes since the last answer. */
  #bytesWithoutAnswer = 0;
  #bytesReceived = 0;
  #isProbed = false;
  /** Whether the stream has lost its upstream: it takes no further calls, and ends with the last that waits. */
  #isLost = false;
  /** Bytes that the account holds for this session. */
  #heldBytes = 0;
  readonly #messages = new MessageQueue((message) => this.#take(message));

  constructor(options: StreamableOptions) {
    this.#options = options;
    this.#events = new EventStreamParser(options.bounds.replyBytesMax);
    this.#opened.promise.catch(() => {});
  }

  /** Resolves when the upstream has named its address for messages. @throws UpstreamFailure where it is not such a server */
  async open(scope: CallScope): Promise<void> {
    const { dispatcher, url, headers, token } = this.#options;
    const { "content-type": _type, ...rest } = headers;
    const request = {
      method: "GET",
      url,
      headers: { ...rest, accept: "text/event-stream" },
      token,
      body: null,
      idleTimeoutMs: streamIdleMs,
      // Unbounded here: the bytes are counted from one answer to the next.
      sizeBytesMax: Number.MAX_SAFE_INTEGER,
      account: undefined,
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
    // An ended stream is a lost session: the request was not executed.
    if (this.#failure !== undefined || this.#isLost) return lostSession;
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    const reader = new AnswerReader(id, () => {});
    this.#waiting.set(id, { reader, resolve, reject });
    promise.catch(() => {});
    const receivedBefore = this.#bytesReceived;
    try {
      const posted = await this.#post(envelope, scope);
      if (posted.answer !== undefined || posted.status < 200 || posted.status >= 300) return posted;
      return await scope.race(promise);
    } finally {
      this.#waiting.delete(id);
      if (scope.failure?.kind === "timeout") this.#judgeSilence(receivedBefore);
      if (this.#isLost) this.#endUnused();
    }
  }

  /** After a call that has run out of time. @param receivedBefore bytes of the stream before the call */
  #judgeSilence(receivedBefore: number): void {
    // Does not continue reading an event that exceeded the last call's time.
    if (this.#events.heldBytes > 0) this.#endUnused();
    else if (this.#bytesReceived === receivedBefore) void this.#probe();
  }

  #endUnused(): void {
    if (this.#waiting.size === 0) this.#scope.end(new UpstreamFailure("timeout"));
  }

  /**
   * Asks whether the stream still leads to the upstream, after a call in whose time nothing arrived: an intermediary may have
   * dropped the stream while messages still reach the server, and no later call would get its answer. Without an answer to `ping`,
   * which servers must give at once, the session is lost, and the next call opens another.
   */
  async #probe(): Promise<void> {
    if (this.#isProbed) return;
    this.#isProbed = true;
    using scope = new CallScope(this.#options.bounds.handshakeTimeoutMs);
    const receivedBefore = this.#bytesReceived;
    await this.send({ id: probeId, envelope: probe, scope, headers: {} }).catch(() => {});
    this.#isProbed = false;
    if (scope.failure?.kind !== "timeout" || this.#bytesReceived > receivedBefore) return;
    this.#isLost = true;
    this.#endUnused();
  }

  async notify(envelope: string): Promise<void> {
    using scope = new CallScope(notifyTimeoutMs);
    await this.#post(envelope, scope).catch(() => {});
  }

  async close(): Promise<void> {
    this.#messages.clear();
    // Ends the stream's exchange by its scope.
    this.#scope.end(new UpstreamFailure("cancelled"));
    this.#lose(new UpstreamFailure("cancelled"));
    await Promise.resolve();
  }

  onHead(status: number, headers: ReplyHeaders): void {
    if (status === 200 && isMediaType(headers["content-type"], "text/event-stream")) return;
    this.#scope.end(new UpstreamFailure("status", { detail: `HTTP ${status}`, wasSent: false }));
  }

  onBytes(bytes: Buffer): Promise<void> | undefined {
    const { replyBytesMax } = this.#options.bounds;
    this.#bytesWithoutAnswer += bytes.length;
    this.#bytesReceived += bytes.length;
    if (this.#bytesWithoutAnswer > replyBytesMax) {
      throw new UpstreamFailure("too_large", { detail: `more than ${replyBytesMax} bytes without an answer` });
    }
    try {
      for (const { name, data } of this.#events.push(bytes)) this.#readEvent(name, data);
    } catch (err) {
      if (!(err instanceof EventTooLarge)) throw err;
      throw new UpstreamFailure("too_large", { detail: err.message, cause: err });
    }
    this.#hold(this.#events.heldBytes);
    return this.#messages.read()?.catch((cause: unknown) => {
      const unreadable = { detail: "a message that cannot be read", cause };
      this.#scope.end(cause instanceof UpstreamFailure ? cause : new UpstreamFailure("malformed", unreadable));
    });
  }

  onEnd(): void {
    this.#lose(new UpstreamFailure("broken", { detail: "the session's stream ended" }));
  }

  onFailure(failure: UpstreamFailure): void {
    this.#lose(failure);
  }

  #readEvent(name: string, data: Buffer): void {
    if (name === "endpoint" && data.length <= endpointBytesMax) this.#setEndpoint(data.toString("utf8"));
    if (name === "message" && data.length > 0) this.#messages.push(data);
  }

  #take(message: JsonPart | undefined): void {
    if (message === undefined) throw new UpstreamFailure("malformed", { detail: "an event that is not JSON" });
    // Requests of the upstream belong to the session, and are answered once.
    new AnswerReader(undefined, (request) => this.#serverRequests.answer(request)).read(message);
    for (const [id, { reader, resolve }] of this.#waiting) {
      reader.read(message);
      if (reader.answer === undefined) continue;
      // Removed now: its sender may still wait for the HTTP reply, and the entry would end the search for later answers.
      this.#waiting.delete(id);
      this.#bytesWithoutAnswer = 0;
      this.#events.forgetWork();
      resolve({ status: 200, answer: reader.answer, stray: undefined });
      return;
    }
  }

  #hold(bytes: number): void {
    const change = bytes - this.#heldBytes;
    if (!this.#options.account.hold(change))
      throw new UpstreamFailure("busy", { detail: "its replies in progress fill the memory for them" });
    this.#heldBytes = bytes;
  }

  /** Restricted to the same origin, since messages carry the configured token. */
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
    this.#hold(0);
    this.#scope[Symbol.dispose]();
    this.#opened.reject(failure);
    for (const { reject } of this.#waiting.values()) reject(failure);
  }

  async #post(envelope: string, scope: CallScope): Promise<Reply> {
    const { dispatcher, headers, token, bounds, account } = this.#options;
    const url = this.#endpoint;
    if (url === undefined) return lostSession;
    const request = {
      method: "POST",
      url,
      headers,
      token,
      body: envelope,
      idleTimeoutMs: bounds.idleTimeoutMs,
      sizeBytesMax: bounds.replyBytesMax,
      account,
    } as const;
    return await exchangeMessage(dispatcher, { request, id: undefined, scope, onServerRequest: () => {} });
  }
}

/** Substitute for the reply of an upstream that does not know the session. */
const lostSession: Reply = { status: 404, answer: undefined, stray: undefined };
