import type { Side } from "@gatehouse/guardrail-client";
import type { TokenPrincipal } from "@gatehouse/principal";

/** One side of a call, as the gateway log and the audit log name it. */
export interface GuardrailEvent {
  readonly requestId: string;
  readonly projectUuid: string;
  readonly endpointUuid: string;
  readonly slug: string;
  readonly side: Side;
  readonly principal: TokenPrincipal;
  readonly ipAddress: string;
  /** Empty without tracing. */
  readonly traceparent: string;
}
