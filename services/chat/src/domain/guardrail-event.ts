import type { Side } from "@gatehouse/guardrail-client";
import type { TokenPrincipal } from "@gatehouse/principal";

/** One side of a call that guardrails judge, as the log and the audit log name it. */
export interface GuardrailEvent {
  readonly requestId: string;
  readonly projectUuid: string;
  readonly endpointUuid: string;
  readonly slug: string;
  readonly side: Side;
  readonly principal: TokenPrincipal;
  /** The caller's. */
  readonly ipAddress: string;
  /** Empty where nothing is traced. */
  readonly traceparent: string;
}
