import { GatewayError } from "@gatehouse/errors";

/** A refusal by the guard (422). `detail` is read by the tenant: it says what rule was met and no address that DNS gave. */
export function ssrfBlocked(detail: string): GatewayError {
  return new GatewayError("ssrf_blocked", "Upstream URL blocked by SSRF guard.", { details: { detail } });
}

/** No connection came about (502). `cause` stays in the log. */
export function upstreamUnreachable(detail: string, cause?: unknown): GatewayError {
  return new GatewayError("upstream_unreachable", "Upstream unreachable.", { details: { detail }, cause });
}
