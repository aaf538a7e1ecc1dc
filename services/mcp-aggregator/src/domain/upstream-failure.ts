import { GatewayError } from "@gatehouse/errors";
import type { CallOutcome } from "@gatehouse/upstream-http";

/**
 * Why an upstream gave no answer:
 * `unreachable` no connection; `broken` the exchange ended early; `timeout`; `cancelled` the caller left; `blocked` by the egress
 * guard; `tokenless` its token cannot be read; `unauthorized` 401 or 403; `status` another HTTP error; `redirected`; `malformed`
 * not a JSON-RPC answer; `too_large`; `interactive` it asks for user input; `resting` the circuit is open; `busy` too many
 * sessions, or too much memory of replies in progress; `withdrawn` an administrator removed it, or changed its address or token.
 */
type FailureKind =
  | "unreachable"
  | "broken"
  | "timeout"
  | "cancelled"
  | "blocked"
  | "tokenless"
  | "unauthorized"
  | "status"
  | "redirected"
  | "malformed"
  | "too_large"
  | "interactive"
  | "resting"
  | "busy"
  | "withdrawn";

const messages: Readonly<Record<FailureKind, string>> = {
  unreachable: "is unreachable",
  broken: "broke the connection before its reply was complete",
  timeout: "did not answer in time",
  cancelled: "had not answered when the call was cancelled",
  blocked: "has an address that the SSRF guard blocks",
  tokenless: "has a bearer token that cannot be read from its reference (env: or file:)",
  unauthorized: "refused the configured credentials",
  status: "failed",
  redirected: "answered with a redirect that is not followed",
  malformed: "sent a malformed response",
  too_large: "sent a response that is too large",
  interactive: "asks for interactive input, which this gateway does not pass on",
  resting: "is unreachable; it will be tried again shortly",
  busy: "has too many sessions or replies in progress; try again shortly",
  withdrawn: "was removed or reconfigured before it answered",
};

interface FailureOptions {
  /** For administrators and the log; contains no URL, token or content. */
  readonly detail?: string;
  /** Whether the request may have reached the upstream; false proves that it was not executed. */
  readonly wasSent?: boolean;
  readonly cause?: unknown;
}

/** An upstream gave no answer. Its answers, including errors, are not failures. */
export class UpstreamFailure extends Error {
  readonly kind: FailureKind;
  readonly detail: string;
  readonly wasSent: boolean;

  constructor(kind: FailureKind, { detail = "", wasSent = true, cause }: FailureOptions = {}) {
    super(detail === "" ? `The upstream ${messages[kind]}.` : `The upstream ${messages[kind]}: ${detail}.`, { cause });
    this.name = "UpstreamFailure";
    this.kind = kind;
    this.detail = detail;
    this.wasSent = wasSent;
  }

  /** Whether the upstream was unreachable; repeated failures of this kind open the circuit. */
  get isTransport(): boolean {
    return this.kind === "unreachable" || this.kind === "broken";
  }
}

/** The error for callers (-32603): names the upstream by its prefix, without its address or answer. */
export function toCallerError(prefix: string, failure: UpstreamFailure): GatewayError {
  const code = failure.kind === "cancelled" ? "cancelled" : "upstream_unreachable";
  return new GatewayError(code, `Upstream '${prefix}' ${messages[failure.kind]}.`, { cause: failure });
}

/** The failure of a call whose upstream was withdrawn: the end of a session looks like a failure of its upstream. */
export function toWithdrawn(err: unknown): unknown {
  return err instanceof UpstreamFailure ? new UpstreamFailure("withdrawn", { wasSent: err.wasSent, cause: err }) : err;
}

const unclearKinds: ReadonlySet<FailureKind> = new Set(["timeout", "cancelled", "withdrawn"]);

/** Answers, including errors and refusals, prove that the upstream is reachable. */
export function callOutcomeOf(err: unknown, method: "tools/list" | "tools/call" | "ping"): CallOutcome {
  if (!(err instanceof UpstreamFailure)) return "unclear";
  if (err.isTransport || (err.kind === "timeout" && method === "tools/list")) return "failed";
  return unclearKinds.has(err.kind) ? "unclear" : "alive";
}
