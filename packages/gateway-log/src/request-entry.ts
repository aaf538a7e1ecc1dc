import type { ErrorCode } from "@gatehouse/errors";
import type { Principal } from "@gatehouse/principal";
import type { Span } from "@gatehouse/telemetry";
import type { GatewayLogEntry, LogDetails } from "./gateway-log-entry.ts";

/** Error for the log. */
export interface LoggedError {
  /** Message sent to the caller. */
  readonly message: string;
  /** Absent for JSON-RPC errors without one, such as an upstream's. */
  readonly code?: ErrorCode | undefined;
}

/** Result of one HTTP request without a provider; its times are wall-clock milliseconds, its duration their difference. */
export interface RequestOutcome {
  /** Id of a route in the router's table. */
  readonly route: string;
  /** Milliseconds since 1970. */
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly status: number;
  readonly error?: LoggedError | undefined;
  readonly details?: LogDetails | undefined;
}

/** Caller of a request, as far as known. */
export interface LoggedCaller {
  readonly requestId: string;
  readonly principal?: Principal | undefined;
  readonly span?: Pick<Span, "traceId"> | undefined;
  readonly user?: string | undefined;
}

/** Entry of a request without a provider. Details name an administrator. */
export function toRequestEntry(
  { requestId, span, principal, user }: LoggedCaller,
  outcome: RequestOutcome,
): GatewayLogEntry {
  const { route, startedAtMs, endedAtMs, status, error, details } = outcome;
  const caller = callerOf(principal);
  return {
    ...caller,
    user,
    atMs: startedAtMs,
    requestId,
    traceId: span?.traceId,
    route,
    status,
    error: error?.message,
    errorCode: error?.code,
    durationMs: endedAtMs - startedAtMs,
    details: caller.details === undefined ? details : { ...caller.details, ...details },
  };
}

/** Fields of an entry that identify the caller; details name an administrator. */
export function callerOf(
  principal: Principal | undefined,
): Pick<GatewayLogEntry, "projectUuid" | "tokenId" | "details"> {
  if (principal === undefined) return {};
  if (principal.kind === "admin") return { details: { admin_key: principal.name } };
  return { projectUuid: principal.project.uuid, tokenId: principal.tokenId };
}
