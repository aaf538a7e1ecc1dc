import type { IncomingMessage, ServerResponse } from "node:http";
import { LightAbort } from "@gatehouse/async";
import { isGatewayError, toAbortReason } from "@gatehouse/errors";
import { hasBody, inflationRatioMax, readDecodedBody, replyEndOf, upgradeHeadOf } from "@gatehouse/http";
import type { PlaceholderValues } from "@gatehouse/placeholders";
import { type RequestContext, tokenPrincipal } from "@gatehouse/principal";
import { type BodyGuard, type Coverage, unreadable } from "../app/guard-bodies.ts";
import { addressTexts, isReadableAddress } from "../domain/address-texts.ts";
import type { GuardedRequest } from "../domain/guarded-request.ts";
import { judgedBodyBytesMax } from "../domain/inspection-quota.ts";
import { parseProxyPath } from "../domain/proxy-path.ts";
import type { AdmittedRequest } from "./admit-request.ts";

interface JudgeRequestParts {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly context: RequestContext;
  readonly admitted: AdmittedRequest;
}

/** A request that a policy covers. */
export interface JudgedRequest {
  readonly request: GuardedRequest;
  readonly coverage: Coverage;
  /** The body to forward: complete, decompressed and masked; undefined: none. */
  readonly body: Buffer | undefined;
  /** Values to restore in the reply. */
  readonly values?: PlaceholderValues;
}

/**
 * Judges a request that a policy covers, its address first; undefined where no policy does, with the body unread.
 * @throws GatewayError as `BodyGuard.judge`; `guardrail_blocked` for an address that is not UTF-8, a WebSocket and a body that is too
 * large to judge
 */
export function judgeRequest(
  parts: JudgeRequestParts,
  guard: Pick<BodyGuard, "covers" | "hold" | "judge">,
  idleTimeoutMs: number,
): undefined | Promise<JudgedRequest | undefined> {
  const { req, res } = parts;
  const isWebSocket = upgradeHeadOf(req) !== undefined;
  const request = guardedRequest(parts);
  const left = new LightAbort();
  const address = () => addressTexts(parseProxyPath(req.url ?? ""));
  const covered = guard.covers(request, { address, abort: left });
  if (covered === undefined) return undefined;
  res.once("close", () => left.abort(toAbortReason(replyEndOf(res))));
  return judge(covered);

  async function judge(asked: Promise<Coverage | undefined>): Promise<JudgedRequest | undefined> {
    const coverage = await asked;
    if (coverage === undefined) return undefined;
    if (!isReadableAddress(parseProxyPath(req.url ?? "")))
      throw unreadable("the path and query must be percent-encoded UTF-8");
    if (isWebSocket) throw unreadable("WebSockets are refused, because their messages cannot be judged");
    if (!hasBody(req)) return { request, coverage, body: undefined };
    const letGo = guard.hold(request);
    if (res.closed) letGo();
    else res.once("close", letGo);
    const whole = await read(req, idleTimeoutMs);
    const contentType = req.headers["content-type"];
    return { request, coverage, ...(await guard.judge(whole, request, contentType, left)) };
  }
}

function guardedRequest({ context, admitted }: JudgeRequestParts): GuardedRequest {
  const { requestId, ipAddress, span } = context;
  const { uuid, slug } = admitted.endpoint;
  const principal = tokenPrincipal(context);
  return { principal, endpoint: { uuid, slug }, requestId, ipAddress, traceparent: span.traceparent ?? "" };
}

async function read(req: IncomingMessage, timeoutMs: number): Promise<Buffer> {
  try {
    return await readDecodedBody(req, { sizeBytesMax: judgedBodyBytesMax, timeoutMs });
  } catch (err) {
    if (!isGatewayError(err) || err.code !== "body_too_large") throw err;
    const isGrown = err.details.detail !== undefined;
    const problem = isGrown
      ? `a compressed body must not grow to more than ${inflationRatioMax} times its size, and no body to`
      : "a body must not have";
    throw unreadable(`${problem} more than ${judgedBodyBytesMax} bytes`);
  }
}
