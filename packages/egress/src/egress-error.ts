import { callCancelled, codeOf, GatewayError, isGatewayError } from "@gatehouse/errors";

/** A refusal by the guard (422). Tenants read `detail`: it names the rule, and no address from DNS. */
export function ssrfBlocked(detail: string): GatewayError {
  return new GatewayError("ssrf_blocked", "Upstream URL blocked by SSRF guard.", { details: { detail } });
}

/** A connection that could not be made (502). `cause` is only logged. */
export function upstreamUnreachable(detail: string, cause?: unknown): GatewayError {
  return new GatewayError("upstream_unreachable", "Upstream unreachable.", { details: { detail }, cause });
}

/** Words of a timeout, for {@link upstreamUnreachable}. @param timeoutMs the bound, where it is known */
export function answeredTooLate(timeoutMs?: number): string {
  return timeoutMs === undefined
    ? "The host did not answer in time."
    : `The host did not answer within ${timeoutMs} ms.`;
}

const causesMax = 5;
/** Codes of a reply whose head or body was silent beyond its bound: of packages/http-client, and of undici for an upgrade. */
export const timeoutCodes: ReadonlySet<string> = new Set(["REPLY_LATE", "UND_ERR_HEADERS_TIMEOUT"]);

/**
 * Converts any failure of an outgoing call. The guard's error is found among the causes, since `fetch` and request forwarding
 * wrap it; an aborted signal is `cancelled`; everything else, a forwarder's `unavailable` included, is `upstream_unreachable`
 * (502).
 * @param timeoutMs the call's bound, where it is known
 */
export function toEgressError(err: unknown, timeoutMs?: number): GatewayError {
  const known = innermostGatewayError(err);
  if (known !== undefined && known.code !== "unavailable") return known;
  if (err instanceof Error && err.name === "AbortError") {
    return callCancelled(err);
  }
  return upstreamUnreachable(
    isTimeout(err) ? answeredTooLate(timeoutMs) : "The connection broke before the reply was complete.",
    err,
  );
}

function innermostGatewayError(err: unknown): GatewayError | undefined {
  let found: GatewayError | undefined;
  let current = err;
  for (let depth = 0; depth < causesMax && current instanceof Error; depth += 1) {
    if (isGatewayError(current)) found = current;
    current = current.cause;
  }
  return found;
}

function isTimeout(err: unknown): boolean {
  return (err instanceof Error && err.name === "TimeoutError") || timeoutCodes.has(codeOf(err) ?? "");
}
