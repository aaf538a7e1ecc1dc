import { GatewayError } from "@gatehouse/errors";
import type { RequestContext, TokenPrincipal } from "@gatehouse/principal";
import type { OutgoingHttpHeaders } from "node:http";
import type { Received } from "../app/call.ts";

/** The headers of every reply to a call: its id, and the tightest window of its rate limits where it has any. */
export function callHeaders({
  requestId,
  tightestWindow,
}: Pick<Received, "requestId" | "tightestWindow">): OutgoingHttpHeaders {
  if (tightestWindow === undefined) return { "x-request-id": requestId };
  const { limit, remaining, resetAtSeconds } = tightestWindow;
  return {
    "x-request-id": requestId,
    "x-ratelimit-limit": String(limit),
    "x-ratelimit-remaining": String(remaining),
    "x-ratelimit-reset": String(resetAtSeconds),
  };
}

/** Who calls a data-plane route. The router lets no other caller through. @throws GatewayError `invalid_token`. */
export function tokenPrincipal({ principal }: RequestContext): TokenPrincipal {
  if (principal.kind === "token") return principal;
  throw new GatewayError("invalid_token", "Invalid or revoked token.");
}
