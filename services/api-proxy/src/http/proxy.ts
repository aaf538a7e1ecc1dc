import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { toEgressError } from "@gatehouse/egress";
import { toGatewayError } from "@gatehouse/errors";
import {
  forward,
  type ForwardOutcome,
  forwardUpgrade,
  isReplyOver,
  liftRequestTimeout,
  recordedReplyEnd,
  sendError,
  upgradeHeadOf,
} from "@gatehouse/http";
import { type RateLimits, windowHeaders } from "@gatehouse/limits";
import type { RequestContext, ServiceHandler } from "@gatehouse/principal";
import type { Span, Logger, Tracing } from "@gatehouse/telemetry";
import type { Dispatcher } from "undici";
import type { AccessTokens } from "../app/access-tokens.ts";
import type { BodyGuard } from "../app/guard-bodies.ts";
import type { ReplyGuard } from "../app/guard-replies.ts";
import type { ProxyBounds } from "../config.ts";
import type { AccessToken } from "../domain/access-token.ts";
import { type AdmittedRequest, admitRequest, type FindEndpoint, Refusal } from "./admit-request.ts";
import { askWholeReply, forwardJudged, type JudgeReply, type UpstreamOptions } from "./forward-judged.ts";
import { type JudgedRequest, judgeRequest } from "./judge-request.ts";
import type { OpenOutcomeOf } from "./outcome.ts";
import { BodyMeter, takeBody } from "./request-body.ts";
import { toCallerHeaders, toUpstreamHeaders } from "./upstream-headers.ts";
import { withheldOfReply } from "./withheld-headers.ts";

interface ProxyOptions {
  readonly findEndpoint: FindEndpoint;
  readonly rateLimits: Pick<RateLimits, "admit">;
  readonly dispatcher: Dispatcher;
  readonly guard: Pick<BodyGuard, "covers" | "hold" | "judge">;
  readonly replies: Pick<ReplyGuard, "open" | "judge">;
  readonly tokens: Pick<AccessTokens, "find" | "replace">;
  readonly bounds: ProxyBounds;
  readonly tracing: Tracing;
  readonly openOutcome: OpenOutcomeOf;
  readonly log: Logger;
}

/** State of a request to an upstream. */
interface RequestState {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly context: RequestContext;
  readonly admitted: AdmittedRequest;
  /** Span of the call to the upstream. */
  readonly span: Span;
  attempts: number;
  /** Present where a policy covers the request. */
  judged: JudgedRequest | undefined;
}

/** Handler of `ANY /api/{uuid}/{slug}` and `ANY /api/{uuid}/{slug}/{rest}` of `api_gateway` projects, including WebSockets. */
export function createProxyHandler(options: ProxyOptions): ServiceHandler {
  return async (req, res, context) => {
    const outcome = options.openOutcome(req, context);
    liftRequestTimeout(req);
    let state: RequestState | undefined;
    try {
      const asked = admitRequest(req, context, options.findEndpoint, options.rateLimits);
      const admitted = asked instanceof Promise ? await asked : asked;
      state = begin(req, res, { context, admitted, tracing: options.tracing });
      await pass(state, options);
      state.span.end();
      outcome.end({ status: res.statusCode, endpointUuid: admitted.endpoint.uuid, attempts: state.attempts });
    } catch (err) {
      const refusal = toRefusal(recordedReplyEnd(res) ?? err, state?.admitted);
      state?.span.end(refusal.error);
      answer(res, refusal, context.requestId);
      if (refusal.error.code === "internal") {
        options.log.error(
          { err: refusal.error.cause ?? err, request_id: context.requestId },
          "A request failed unexpectedly.",
        );
      }
      outcome.end({
        status: res.headersSent && refusal.error.code !== "cancelled" ? res.statusCode : refusal.error.profile.http,
        error: refusal.error,
        endpointUuid: refusal.endpoint?.uuid,
        attempts: state?.attempts ?? 0,
      });
    }
  };
}

interface Beginning {
  readonly context: RequestContext;
  readonly admitted: AdmittedRequest;
  readonly tracing: Tracing;
}

function begin(req: IncomingMessage, res: ServerResponse, { context, admitted, tracing }: Beginning): RequestState {
  const span = tracing.start("upstream", {
    kind: "client",
    parent: context.span.traceparent,
    attributes: { "http.request.method": req.method ?? "", "server.address": admitted.endpoint.origin },
  });
  return { req, res, context, admitted, span, attempts: 0, judged: undefined };
}

async function pass(state: RequestState, options: ProxyOptions): Promise<void> {
  const head = upgradeHeadOf(state.req);
  const { auth } = state.admitted.endpoint;
  const token = auth.kind === "oauth" ? options.tokens.find(auth.connectionId) : undefined;
  // Prevents an unhandled rejection where the token fails before it is awaited below, or never is.
  if (token instanceof Promise) token.catch(() => {});
  const judged = judgeRequest(state, options.guard, options.bounds.idleTimeoutMs);
  state.judged = judged === undefined ? undefined : await judged;
  const body = head === undefined ? (state.judged?.body ?? takeBody(state.req, options.bounds)) : null;
  try {
    if (token instanceof Promise) {
      const [ready, whole] = await Promise.all([token, body]);
      await passReady(state, options, { head, body: whole, token: ready });
    } else {
      const whole = body instanceof Promise ? await body : body;
      await passReady(state, options, { head, body: whole, token });
    }
  } finally {
    // Nothing else ends a body that was never sent, so it would stay until it has been silent for too long.
    if (body instanceof BodyMeter) body.destroy();
  }
}

/** Results of the asynchronous preparations. */
interface Ready {
  /** First bytes after the head of a WebSocket request; undefined for other requests. */
  readonly head: Buffer | undefined;
  readonly body: Buffer | Readable | null;
  readonly token: AccessToken | undefined;
}

function passReady(state: RequestState, options: ProxyOptions, { head, body, token }: Ready): Promise<unknown> {
  if (head !== undefined) return passUpgrade(state, options, head, token);
  if (token !== undefined) return passWithToken(state, options, body, token);
  state.attempts += 1;
  return passOnce(state, options.replies, { ...callOf(state, options), headers: headersOf(state, token), body });
}

async function passUpgrade(
  state: RequestState,
  options: ProxyOptions,
  head: Buffer,
  token: AccessToken | undefined,
): Promise<void> {
  state.attempts += 1;
  const { req, res } = state;
  const headers = headersOf(state, token);
  await forwardUpgrade(req, res, {
    ...callOf(state, options),
    headers,
    head,
    idleTimeoutMs: options.bounds.upgradeIdleTimeoutMs,
  });
}

/** Forwards a request with an access token; repeats it with a new token if the first is refused and the request can be repeated. */
async function passWithToken(
  state: RequestState,
  options: ProxyOptions,
  body: Buffer | Readable | null,
  token: AccessToken,
): Promise<void> {
  const { auth } = state.admitted.endpoint;
  const call = callOf(state, options);
  const mayRepeat = body === null || Buffer.isBuffer(body);
  state.attempts += 1;
  const headers = headersOf(state, token);
  const accepts = mayRepeat ? { accepts: (status: number) => status !== 401 } : {};
  const sent = await passOnce(state, options.replies, { ...call, headers, body, ...accepts });
  if (sent === "sent" || auth.kind !== "oauth") return;
  const renewed = await options.tokens.replace(auth.connectionId, token);
  state.attempts += 1;
  await passOnce(state, options.replies, { ...call, headers: headersOf(state, renewed), body });
}

/** Streams the reply, unless a policy judges it. */
function passOnce(
  { req, res, judged }: RequestState,
  replies: ProxyOptions["replies"],
  call: UpstreamOptions,
): Promise<ForwardOutcome> {
  if (judged === undefined || judged.coverage.outputCheck === "none") return forward(req, res, call);
  const { body: _sent, ...guarded } = judged;
  const held = replies.open(guarded.request);
  const judge: JudgeReply = async (reply, signal) => await replies.judge(reply, { ...guarded, signal, held });
  return forwardJudged(req, res, { ...call, judge }).finally(held.release);
}

/** Headers for a decompressed body, with its new length. */
function reframed(headers: IncomingHttpHeaders, body: Buffer): IncomingHttpHeaders {
  const { "content-encoding": _coding, "transfer-encoding": _framing, ...kept } = headers;
  return { ...kept, "content-length": String(body.length) };
}

function headersOf({ req, context, admitted, span, judged }: RequestState, token: AccessToken | undefined) {
  const { auth: own, credentialNames } = admitted.endpoint;
  const ownHeader = own.kind === "header" ? { name: own.name, value: own.value.reveal() } : undefined;
  const auth = token === undefined ? ownHeader : { name: "authorization", value: `Bearer ${token.value.reveal()}` };
  const given = judged?.body === undefined ? req.headers : reframed(req.headers, judged.body);
  const headers = toUpstreamHeaders(given, { context, traceparent: span.traceparent, auth, credentialNames });
  const judgesReply = judged !== undefined && judged.coverage.outputCheck !== "none";
  return judgesReply ? askWholeReply(headers, judged.values !== undefined) : headers;
}

function callOf({ context, admitted, span }: RequestState, { dispatcher, bounds }: ProxyOptions) {
  const { endpoint, path, window } = admitted;
  const { requestId } = context;
  return {
    dispatcher,
    origin: endpoint.origin,
    path,
    headersTimeoutMs: endpoint.timeoutMs ?? bounds.headersTimeoutMs,
    bodyTimeoutMs: bounds.idleTimeoutMs,
    withheldOfReply,
    onStatus: (status: number) => span.set({ "http.response.status_code": status }),
    replyHeaders: (headers: Record<string, string | string[]>) => toCallerHeaders(headers, { requestId, window }),
    toError: (cause: unknown) => toEgressError(cause),
  };
}

function toRefusal(err: unknown, admitted: AdmittedRequest | undefined): Refusal {
  if (err instanceof Refusal) return err;
  const error = toGatewayError(err);
  return new Refusal(error, admitted?.endpoint, windowHeaders(admitted?.window));
}

/** Closes the connection of a started reply, so that it cannot pass for a complete one; leaves one that the gateway has ended. */
function answer(res: ServerResponse, { error, headers }: Refusal, requestId: string): void {
  if (isReplyOver(res)) return;
  if (res.headersSent) res.destroy();
  else sendError(res, error, { ...headers, "x-request-id": requestId });
}
