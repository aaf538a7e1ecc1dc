import type { Secret } from "@gatehouse/vault";
import type { Dispatcher } from "undici";
import { UpstreamFailure } from "../domain/upstream-failure.ts";
import type { ByteAccount } from "./byte-account.ts";
import { CallScope } from "./call-scope.ts";
import { type Channel, type ChannelRequest, ServerRequests } from "./channel.ts";
import { exchangeMessage, type HttpReply } from "./exchange-message.ts";
import type { UpstreamBounds } from "./upstream-bounds.ts";

/** Before a stream is resumed, where the upstream names no time; and the least at first, and the most, that it may ask for. */
const retryMsDefault = 1_000;
const retryMsMin = 20;
const retryMsMax = 30_000;
/**
 * By how much the least wait grows with each resumption of a call: an upstream that ends each stream at once is asked 26 times in 30 s,
 * and an answer is heard of a quarter of that time late at most.
 */
const retryGrowth = 1.25;
/** Times that the stream of one request is resumed: no fewer than the waits leave room for in the longest call, an hour. */
export const resumptionsMax = 160;
const notifyTimeoutMs = 2_000;
/** Bytes of the reply to a message that gets no answer: one that has more is not read on. */
const quietReplyBytesMax = 64 * 1024;

/** Address, credentials and bounds of a Streamable HTTP server. */
export interface StreamableOptions {
  readonly dispatcher: Dispatcher;
  readonly url: URL;
  /** Headers of every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** The upstream's bearer token. */
  readonly token: Secret | undefined;
  readonly bounds: UpstreamBounds;
  /** Holds the bytes of replies in progress. */
  readonly account: ByteAccount;
}

/** Result of a handshake. */
interface Negotiated {
  /** Empty where the upstream keeps no sessions. */
  readonly sessionId: string;
  readonly protocolVersion: string;
}

/** Streamable HTTP (revisions 2025-03-26 to 2025-11-25), and literal requests where nothing was negotiated. */
export class StreamableChannel implements Channel {
  readonly #options: StreamableOptions;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #serverRequests = new ServerRequests(async (envelope) => await this.notify(envelope));
  readonly negotiated: Negotiated | undefined;

  constructor(options: StreamableOptions, negotiated?: Negotiated) {
    this.#options = options;
    this.negotiated = negotiated;
    this.#headers = { ...options.headers, ...toHeaders(negotiated) };
  }

  get hadHandshake(): boolean {
    return this.negotiated !== undefined;
  }

  async send({ id, envelope, scope, headers }: ChannelRequest): Promise<HttpReply> {
    const { dispatcher, url, token, bounds, account } = this.#options;
    const onServerRequest = this.#serverRequests.answer.bind(this.#serverRequests);
    const common = { url, token, idleTimeoutMs: bounds.idleTimeoutMs, sizeBytesMax: bounds.replyBytesMax, account };
    const post = {
      ...common,
      method: "POST",
      headers: { ...this.#headers, ...headers },
      body: envelope,
    } as const;
    let reply = await exchangeMessage(dispatcher, { request: post, id, scope, onServerRequest });
    for (
      let count = 0;
      reply.answer === undefined && reply.resume !== undefined && count < resumptionsMax;
      count += 1
    ) {
      const { lastEventId, retryMs = retryMsDefault } = reply.resume;
      await pauseWithin(scope, resumptionWaitMs(retryMs, count));
      const get = { ...common, method: "GET", headers: this.#resumeHeaders(lastEventId), body: null } as const;
      const resumed = await exchangeMessage(dispatcher, { request: get, id, scope, onServerRequest });
      // An upstream that cannot resume says so with a status, which says nothing about the request itself.
      if (resumed.answer === undefined && resumed.status !== 200) return { ...reply, resume: undefined };
      // A stream whose resumption failed stays resumable from the same event.
      reply = { ...resumed, resume: resumed.resume ?? reply.resume };
    }
    return reply;
  }

  async notify(envelope: string): Promise<void> {
    await this.#quietly("POST", envelope);
  }

  async close(): Promise<void> {
    if (this.negotiated === undefined || this.negotiated.sessionId === "") return;
    await this.#quietly("DELETE", null);
  }

  async #quietly(method: "POST" | "DELETE", body: string | null): Promise<void> {
    const { dispatcher, url, token, account } = this.#options;
    using scope = new CallScope(notifyTimeoutMs);
    const request = {
      method,
      url,
      headers: this.#headers,
      token,
      body,
      idleTimeoutMs: notifyTimeoutMs,
      sizeBytesMax: quietReplyBytesMax,
      account,
    };
    await exchangeMessage(dispatcher, { request, id: undefined, scope, onServerRequest: () => {} }).catch(() => {});
  }

  #resumeHeaders(lastEventId: string): Readonly<Record<string, string>> {
    const { "content-type": _type, ...headers } = this.#headers;
    return { ...headers, accept: "text/event-stream", "last-event-id": lastEventId };
  }
}

/** Wait before the next resumption of a stream, ms, where the upstream asked for `retryMs` and it was resumed `count` times before. */
export function resumptionWaitMs(retryMs: number, count: number): number {
  return Math.min(Math.max(retryMs, retryMsMin * retryGrowth ** count), retryMsMax);
}

function toHeaders(negotiated: Negotiated | undefined): Readonly<Record<string, string>> {
  if (negotiated === undefined) return {};
  const { sessionId, protocolVersion } = negotiated;
  // Revisions before 2025-06-18 know no such header, and ignore it.
  const version = { "mcp-protocol-version": protocolVersion };
  return sessionId === "" ? version : { ...version, "mcp-session-id": sessionId };
}

/** @throws UpstreamFailure when the call is over before. */
async function pauseWithin(scope: CallScope, ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  try {
    await scope.race(promise);
  } finally {
    clearTimeout(timer);
  }
  if (scope.failure !== undefined) throw new UpstreamFailure(scope.failure.kind);
}
