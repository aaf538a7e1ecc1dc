import type { IncomingMessage, ServerResponse } from "node:http";
import { isGatewayError } from "@gatehouse/errors";
import { hasBody, readDecodedBody, upgradeHeadOf } from "@gatehouse/http";
import type { RequestContext } from "@gatehouse/principal";
import { addressTexts } from "../domain/address-texts.ts";
import { type BodyGuard, type GuardedRequest, judgedBodyBytesMax, unreadable } from "../domain/guard-bodies.ts";
import { parseProxyPath } from "../domain/proxy-path.ts";
import { type Admission, tokenPrincipal } from "./admission.ts";

export interface JudgedBodyParts {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly context: RequestContext;
  readonly admission: Admission;
}

export interface JudgedBodyOptions {
  readonly guard: Pick<BodyGuard, "covers" | "hold" | "judge">;
  readonly bounds: { readonly idleTimeoutMs: number };
}

/**
 * The body of a request as it may go on, where a policy covers it; nothing where none does, and the body is unread, and where there is
 * none. The address is judged in front of it.
 * @throws GatewayError as `BodyGuard.judge`; `guardrail_blocked` for a WebSocket and for more than can be judged.
 */
export function takeJudgedBody(
  parts: JudgedBodyParts,
  { guard, bounds }: JudgedBodyOptions,
): undefined | Promise<Buffer | undefined> {
  const { req, res } = parts;
  const isWebSocket = upgradeHeadOf(req) !== undefined;
  const hasNoBody = !isWebSocket && !hasBody(req);
  const address = addressTexts(parseProxyPath(req.url ?? ""));
  if (hasNoBody && address.length === 0) return undefined;
  const request = guardedRequest(parts);
  const left = new AbortController();
  const covered = guard.covers(request, { address, signal: left.signal });
  if (covered === false) return undefined;
  res.once("close", () => left.abort());
  return judge();

  async function judge(): Promise<Buffer | undefined> {
    if (!(await covered) || hasNoBody) return undefined;
    if (isWebSocket) throw unreadable("WebSockets, which cannot be judged, are not opened");
    const letGo = guard.hold(request);
    if (res.closed) letGo();
    else res.once("close", letGo);
    const body = await read(req, bounds.idleTimeoutMs);
    return await guard.judge(body, request, { contentType: req.headers["content-type"], signal: left.signal });
  }
}

function guardedRequest({ context, admission }: JudgedBodyParts): GuardedRequest {
  const { requestId, ipAddress, span } = context;
  const { uuid, slug } = admission.endpoint;
  const principal = tokenPrincipal(context);
  return { principal, endpoint: { uuid, slug }, requestId, ipAddress, traceparent: span.traceparent ?? "" };
}

async function read(req: IncomingMessage, timeoutMs: number): Promise<Buffer> {
  try {
    return await readDecodedBody(req, { sizeBytesMax: judgedBodyBytesMax, timeoutMs });
  } catch (err) {
    if (!isGatewayError(err) || err.code !== "body_too_large") throw err;
    throw unreadable(`a body must not have more than ${judgedBodyBytesMax} bytes`);
  }
}
