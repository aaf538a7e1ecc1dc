import type { Secret } from "@gatehouse/vault";
import type { Dispatcher } from "undici";
import { UpstreamFailure } from "../domain/upstream-failure.ts";
import type { ByteAccount } from "./byte-account.ts";
import { CallScope } from "./call-scope.ts";
import { type Channel, type ChannelRequest, ServerRequests } from "./channel.ts";
import { exchangeMessage, type HttpReply } from "./exchange-message.ts";
import type { UpstreamBounds } from "./upstream-bounds.ts";

/** Wait before a stream is resumed: the default, and the bounds of the upstream's own `retry`. */
const retryMsDefault = 1_000;
const retryMsMin = 20;
const retryMsMax = 30_000;
/**
 * Growth of the shortest wait with each resumption of a call: an upstream that ends each stream at once is asked 26 times in 30
 * s, and an answer is received at most a quarter of that time late.
 */
const retryGrowth = 1.25;
/** Resumptions of one request's stream; at least as many as fit into the longest call, an hour. */
export const resumptionsMax = 160;
const notifyTimeoutMs = 2_000;
/** Bytes of the reply to a message without an answer that are read. */
const quietReplyBytesMax = 64 * 1024;

/** Options of one upstream's channels: of Streamable HTTP, and of HTTP with SSE (revision 2024-11-05). */
export interface StreamableOptions {
  readonly dispatcher: Dispatcher;
  readonly url: URL;
  /** Headers of every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** The upstream's bearer token. */
  readonly token: Secret | undefined;
  readonly bounds: UpstreamBounds;
  /** Account for the bytes of replies in progress. */
  readonly account: ByteAccount;
}

/** Result of a handshake. */
interface Negotiated {
  /** Empty where the upstream has no sessions. */
  readonly sessionId: string;
  readonly protocolVersion: string;
}

/** Streamable HTTP (revisions 2025-03-26 to 2025-11-25), and requests without a handshake. */
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
      const { resume: resumes } = reply;
      const { lastEventId, retryMs = retryMsDefault } = resumes;
      await pauseWithin(scope, resumptionWaitMs(retryMs, count));
      const get = { ...common, method: "GET", headers: this.#resumeHeaders(lastEventId), body: null } as const;
      const resumed = await exchangeMessage(dispatcher, { request: get, id, scope, onServerRequest, resumes });
      // A connection that broke before the head is tried again after the same event.
      if (resumed.status === 0) continue;
      // The status of an upstream that cannot resume says nothing about the request.
      if (resumed.answer === undefined && resumed.status !== 200) return { ...reply, resume: undefined };
      reply = resumed;
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

/**
 * Wait before the next resumption of a stream, milliseconds. `retryMs` is the upstream's, `count` the number of earlier
 * resumptions.
 */
export function resumptionWaitMs(retryMs: number, count: number): number {
  return Math.min(Math.max(retryMs, retryMsMin * retryGrowth ** count), retryMsMax);
}

function toHeaders(negotiated: Negotiated | undefined): Readonly<Record<string, string>> {
  if (negotiated === undefined) return {};
  const { sessionId, protocolVersion } = negotiated;
  // Revisions before 2025-06-18 ignore this header.
  const version = { "mcp-protocol-version": protocolVersion };
  return sessionId === "" ? version : { ...version, "mcp-session-id": sessionId };
}

/** @throws UpstreamFailure when the call ends first */
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
