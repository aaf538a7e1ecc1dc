import { JsonPart } from "@gatehouse/json";
import { type JsonObject } from "@gatehouse/json-rpc";
import { mcpServerVersion } from "@gatehouse/mcp";
import type { Dispatcher } from "undici";
import { hopsHeader } from "../domain/hops.ts";
import { type Answer, forwardable } from "../domain/json-rpc-answer.ts";
import { judgeProtocolMode, type Reply, type Verdict } from "../domain/judge-protocol-mode.ts";
import { toWithdrawn, UpstreamFailure } from "../domain/upstream-failure.ts";
import type { ProtocolMode, ReachableUpstream } from "../domain/upstream.ts";
import { ByteAccount } from "./byte-account.ts";
import { CallScope } from "./call-scope.ts";
import type { Channel } from "./channel.ts";
import { fromModernAnswer, toModernHeaders, toModernParams } from "./modern.ts";
import { closeOpened, SessionPool, type SessionTotal } from "./session-pool.ts";
import { SseChannel } from "./sse-channel.ts";
import { StreamableChannel, type StreamableOptions } from "./streamable-channel.ts";
import { repliesHeldMax, type UpstreamBounds } from "./upstream-bounds.ts";
import type { UpstreamConnection, UpstreamRequest } from "./upstream-connection.ts";

interface UpstreamClientOptions {
  readonly dispatcher: Dispatcher;
  readonly bounds: UpstreamBounds;
  /** Account for the bytes of replies in progress of all upstreams. */
  readonly account: ByteAccount;
  /** Counter of the sessions of all upstreams. */
  readonly sessions: SessionTotal;
  /** The product's name, as `clientInfo.name`. */
  readonly serviceName: string;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/** Newest revision with a handshake; upstreams may answer with any older one. */
const offeredVersion = "2025-11-25";
/** Characters that are valid in a header, which repeats the version. */
const versionPattern = /^[\x21-\x7e]+$/;
const versionBytesMax = 64;

/**
 * Detects and speaks the protocol mode of one upstream (docs/adr/0012): first a request without a handshake, then a handshake if
 * the upstream demands one, or the streams of 2024-11-05 or the headers of 2026-07-28. Remembers the mode.
 */
export class UpstreamClient implements UpstreamConnection {
  readonly #options: UpstreamClientOptions;
  readonly #clientInfo: JsonObject;
  readonly #pool: SessionPool;
  readonly #channelOptions: StreamableOptions;
  /** Channel of requests without a session; replaced by a handshake that opens no session. */
  #plain: StreamableChannel;
  #lastId = 0;
  protocolMode: ProtocolMode;

  constructor(upstream: ReachableUpstream, protocolMode: ProtocolMode, options: UpstreamClientOptions) {
    const { dispatcher, bounds, sessions, serviceName, now } = options;
    const account = new ByteAccount(bounds.replyBytesMax * repliesHeldMax.ofOne, options.account);
    this.#options = options;
    this.#clientInfo = { name: serviceName, version: mcpServerVersion };
    this.#pool = new SessionPool(bounds.sessionsMax, sessions, bounds.sessionIdleMs, now);
    this.#channelOptions = {
      dispatcher,
      url: new URL(upstream.url),
      headers: commonHeaders,
      token: upstream.bearerToken,
      bounds,
      account,
    };
    this.#plain = new StreamableChannel(this.#channelOptions);
    // The result of a handshake is lost with its process.
    this.protocolMode = protocolMode === "stateless" ? "unknown" : protocolMode;
  }

  get sessionCount(): number {
    return this.#pool.size;
  }

  async request(request: UpstreamRequest): Promise<Answer> {
    request.scope.throwIfOver();
    try {
      return await this.#request(request);
    } catch (err) {
      throw this.#pool.isClosed && request.scope.failure === undefined ? toWithdrawn(err) : err;
    }
  }

  async #request(request: UpstreamRequest): Promise<Answer> {
    if (this.protocolMode === "modern") return await this.#requestModern(request);
    if (this.protocolMode !== "session" && this.protocolMode !== "sse") return await this.#requestPlainly(request);
    try {
      return await this.#requestInSession(request);
    } catch (err) {
      if (!asksForOtherMode(err)) throw err;
      // Another server may answer now, so its protocol mode is detected again.
      this.#reset();
      return await this.#requestPlainly(request);
    }
  }

  sweep(): void {
    this.#pool.sweep();
  }

  endSessions(): void {
    this.#pool.retire();
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  /** Sends the request without a handshake, and follows up as the reply demands. */
  async #requestPlainly(request: UpstreamRequest): Promise<Answer> {
    const channel = this.#plain;
    const verdict = await this.#send(channel, request);
    if (verdict.kind === "answer") {
      if (this.protocolMode === "unknown") this.protocolMode = channel.hadHandshake ? "stateless" : "bare";
      return verdict.answer;
    }
    if (verdict.kind === "failure") throw verdict.failure;
    if (verdict.kind === "modern") return await this.#tryModern(request, verdict);
    if (verdict.kind === "sse") return await this.#trySse(request, verdict);
    return await this.#afterHandshake(request, verdict).catch((err: unknown) => {
      // A server without handshakes has another reason to refuse this request.
      if (verdict.refusal === undefined || !asksForOtherMode(err)) throw err;
      return verdict.refusal;
    });
  }

  /** Performs the handshake, which may open no session, and repeats the request, which the upstream has not executed. */
  async #afterHandshake(request: UpstreamRequest, refused: Verdict): Promise<Answer> {
    return await this.#requestInSession(request, async () => {
      const channel = await this.#initialize().catch((err: unknown) => {
        throw explain(err, refused);
      });
      const hasSession = channel.negotiated?.sessionId !== "";
      if (!hasSession) this.#plain = channel;
      this.protocolMode = hasSession ? "session" : "stateless";
      return channel;
    });
  }

  async #trySse(request: UpstreamRequest, refused: Verdict): Promise<Answer> {
    return await this.#requestInSession(request, async () => {
      const channel = await this.#openSse().catch((err: unknown) => {
        throw explain(err, refused);
      });
      this.protocolMode = "sse";
      return channel;
    });
  }

  async #requestInSession(request: UpstreamRequest, open = async () => await this.#open()): Promise<Answer> {
    const key = request.sessionKey;
    if (key === undefined) return await this.#requestAlone(request, open);
    const first = await this.#inSession(key, request, open);
    if (first.verdict.kind !== "handshake") return this.#conclude(first.verdict);
    // The session is lost and the request was not executed, so it is repeated once in a new session.
    this.#pool.drop(key, first.channel);
    const { verdict } = await this.#inSession(key, request, async () => await this.#open());
    return this.#conclude(verdict);
  }

  async #inSession(key: string, request: UpstreamRequest, open: () => Promise<Channel>) {
    const isOpen = this.#pool.find(key) !== undefined;
    const sending = this.#pool.use(key, open, async (channel) => {
      request.scope.throwIfOver();
      const verdict = await this.#send(channel, request);
      if (this.protocolMode === "stateless") this.#pool.drop(key, channel);
      return { channel, verdict };
    });
    // A shared handshake may outlast this call.
    return isOpen ? await sending : await request.scope.race(sending);
  }

  async #requestAlone(request: UpstreamRequest, open: () => Promise<Channel>): Promise<Answer> {
    const opening = open();
    const channel = await request.scope.race(opening).catch((err: unknown) => {
      void closeOpened(opening);
      throw err;
    });
    try {
      return this.#conclude(await this.#send(channel, request));
    } finally {
      void channel.close();
    }
  }

  /** After any failure, the next request detects the protocol mode again. */
  #conclude(verdict: Verdict): Answer {
    // Refused right after a successful handshake.
    if (verdict.kind === "handshake" && verdict.refusal !== undefined) return verdict.refusal;
    if (verdict.kind !== "answer" && verdict.kind !== "failure") this.#reset();
    return answerOf(verdict);
  }

  #reset(): void {
    this.protocolMode = "unknown";
    this.#plain = new StreamableChannel(this.#channelOptions);
  }

  async #open(): Promise<Channel> {
    return this.protocolMode === "sse" ? await this.#openSse() : await this.#initialize();
  }

  async #openSse(): Promise<Channel> {
    using scope = this.#handshakeScope();
    const channel = new SseChannel(this.#channelOptions);
    await channel.open(scope);
    try {
      await this.#introduce(channel, scope);
    } catch (err) {
      void channel.close();
      throw err;
    }
    return channel;
  }

  async #initialize(): Promise<StreamableChannel> {
    using scope = this.#handshakeScope();
    const { reply, protocolVersion } = await this.#introduce(new StreamableChannel(this.#channelOptions), scope);
    const sessionId = "sessionId" in reply && typeof reply.sessionId === "string" ? reply.sessionId : "";
    const channel = new StreamableChannel(this.#channelOptions, { sessionId, protocolVersion });
    await channel.notify('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    return channel;
  }

  /** Sends `initialize`; for an SSE session also the notification. @throws UpstreamFailure */
  async #introduce(channel: Channel, scope: CallScope): Promise<{ reply: Reply; protocolVersion: string }> {
    const id = this.#nextId();
    const params = { protocolVersion: offeredVersion, capabilities: {}, clientInfo: this.#clientInfo };
    const envelope = `{"jsonrpc":"2.0","id":${id},"method":"initialize","params":${JSON.stringify(params)}}`;
    const reply = await channel.send({ id, envelope, scope, headers: {} }).catch(beforeRequest);
    const answer = answerOf(judgeProtocolMode(reply, { protocolMode: "session", hadHandshake: true }), false);
    if (answer.kind === "error" || answer.result.members === undefined) {
      throw new UpstreamFailure("malformed", { detail: "the handshake was refused", wasSent: false });
    }
    const protocolVersion = answer.result.members.get("protocolVersion")?.asString(versionBytesMax) ?? "";
    if (channel instanceof SseChannel) await channel.notify('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    return { reply, protocolVersion: versionPattern.test(protocolVersion) ? protocolVersion : offeredVersion };
  }

  /** Independent of one caller: others may wait for the same session. */
  #handshakeScope(): CallScope {
    return new CallScope(this.#options.bounds.handshakeTimeoutMs);
  }

  async #tryModern(request: UpstreamRequest, refused: Verdict): Promise<Answer> {
    const verdict = await this.#sendModern(request);
    if (verdict.kind !== "answer") throw explain(verdict.kind === "failure" ? verdict.failure : undefined, refused);
    this.protocolMode = "modern";
    return fromModernAnswer(verdict.answer);
  }

  async #requestModern(request: UpstreamRequest): Promise<Answer> {
    const verdict = await this.#sendModern(request);
    if (verdict.kind === "answer") return fromModernAnswer(verdict.answer);
    if (verdict.kind === "failure") throw verdict.failure;
    // The upstream no longer speaks this revision, and has not executed the request.
    this.#reset();
    return await this.#requestPlainly(request);
  }

  async #sendModern(request: UpstreamRequest): Promise<Verdict> {
    const params = toModernParams(request.params, this.#clientInfo);
    const channel = new StreamableChannel(this.#channelOptions);
    return await this.#send(channel, { ...request, params }, await toModernHeaders(request));
  }

  async #send(
    channel: Channel,
    { method, callerId, params, scope, hops, traceparent }: UpstreamRequest,
    modernHeaders?: Readonly<Record<string, string>>,
  ): Promise<Verdict> {
    const id = (isShared(channel) ? undefined : forwardable(callerId)) ?? this.#nextId();
    const paramsText = params === undefined ? "" : `,"params":${JsonPart.object(params).text}`;
    const envelope = `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)}${paramsText}}`;
    const headers = {
      // Compression may delay the last event of a stream; a catalogue is large and arrives at once.
      "accept-encoding": method === "tools/list" ? "gzip, deflate, br" : "identity",
      [hopsHeader]: hops,
      ...(traceparent === "" ? {} : { traceparent }),
      ...modernHeaders,
    };
    try {
      const reply = await channel.send({ id, envelope, scope, headers });
      return judgeProtocolMode(reply, {
        protocolMode: this.protocolMode,
        hadHandshake: channel.hadHandshake || modernHeaders !== undefined,
      });
    } catch (err) {
      if (scope.failure !== undefined && modernHeaders === undefined && wasSent(err)) {
        const reason = scope.failure.kind === "cancelled" ? "The caller has left." : "The call has run out of time.";
        const cancelled = `{"requestId":${id},"reason":${JSON.stringify(reason)}}`;
        void channel.notify(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":${cancelled}}`);
      }
      throw err;
    }
  }

  #nextId(): string {
    this.#lastId += 1;
    return String(this.#lastId);
  }
}

/**
 * Whether concurrent requests share a session, where an upstream distinguishes them by their ids (MCP 2025-11-25, "Messages");
 * callers choose ids independently of each other.
 */
function isShared(channel: Channel): boolean {
  if (channel instanceof SseChannel) return true;
  return channel instanceof StreamableChannel && (channel.negotiated?.sessionId ?? "") !== "";
}

const commonHeaders = {
  "content-type": "application/json",
  "user-agent": `gatehouse/${mcpServerVersion}`,
  accept: "application/json, text/event-stream",
};

/** @param wasSent whether it is the reply to a caller's request */
function answerOf(verdict: Verdict, wasSent = true): Answer {
  if (verdict.kind === "answer") return verdict.answer;
  if (verdict.kind === "failure") throw wasSent ? verdict.failure : unsent(verdict.failure);
  throw new UpstreamFailure("malformed", { detail: "it refuses the request in every known form", wasSent: false });
}

/** A failure of the second attempt, with the upstream's first answer: neither was executed. */
function explain(err: unknown, refused: Verdict): UpstreamFailure {
  if (err instanceof UpstreamFailure && err.kind !== "malformed" && err.kind !== "status") return err;
  const detail = `${refused.kind} was tried without success${err instanceof UpstreamFailure ? `: ${err.detail}` : ""}`;
  return new UpstreamFailure("malformed", { detail, wasSent: false, cause: err });
}

/** A failed handshake proves that the request was not executed. */
function beforeRequest(err: unknown): never {
  throw err instanceof UpstreamFailure ? unsent(err) : err;
}

function unsent({ kind, detail, cause }: UpstreamFailure): UpstreamFailure {
  return new UpstreamFailure(kind, { detail, wasSent: false, cause });
}

/** Whether a handshake got an answer that is not one of a handshake. */
function asksForOtherMode(err: unknown): boolean {
  return err instanceof UpstreamFailure && !err.wasSent && (err.kind === "malformed" || err.kind === "status");
}

function wasSent(err: unknown): boolean {
  return err instanceof UpstreamFailure && err.wasSent;
}
