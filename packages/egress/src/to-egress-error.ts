import { GatewayError, isGatewayError } from "@gatehouse/errors";
import { upstreamUnreachable } from "./egress-error.ts";

const causesMax = 5;
const timeoutCodes: ReadonlySet<string> = new Set(["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"]);

/**
 * The product's error for whatever an outgoing call failed with: a GatewayError found in it or among its causes (`fetch` wraps
 * what the guard throws), `cancelled` for an aborted signal, else `upstream_unreachable` (502).
 */
export function toEgressError(err: unknown): GatewayError {
  let current = err;
  for (let depth = 0; depth < causesMax && current !== undefined; depth += 1) {
    if (isGatewayError(current)) return current;
    current = current instanceof Error ? current.cause : undefined;
  }
  if (err instanceof Error && err.name === "AbortError") {
    return new GatewayError("cancelled", "The call was cancelled.", { cause: err });
  }
  return upstreamUnreachable(isTimeout(err) ? "The host did not answer in time." : "The exchange was broken off.", err);
}

function isTimeout(err: unknown): boolean {
  if (!(err instanceof Error)) return false;
  return err.name === "TimeoutError" || ("code" in err && typeof err.code === "string" && timeoutCodes.has(err.code));
}
