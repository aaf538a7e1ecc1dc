import type { Side } from "@gatehouse/guardrail-client";
import type { TokenPrincipal } from "@gatehouse/principal";

/** A request that a policy may cover, as the log and the audit log name it. */
export interface GuardedRequest {
  readonly principal: TokenPrincipal;
  readonly endpoint: { readonly uuid: string; readonly slug: string };
  readonly requestId: string;
  readonly ipAddress: string;
  /** Empty without tracing. */
  readonly traceparent: string;
}

/** Subject of one block: logged, and summarised in the audit log by side, token and endpoint. */
export interface BlockedSide {
  readonly request: GuardedRequest;
  readonly side: Side;
}
