import type { TokenPrincipal } from "@gatehouse/principal";
import type { GuardrailBlock, GuardrailFinding, Side } from "@gatehouse/guardrail-client";

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

/** Keeps what the guardrails did, in logs and metrics: detectors and scores, never a text. */
export interface GuardrailRecord {
  /** An audit event too: resolves when it is kept, or soon where that is not possible now. Never rejects. */
  blocked(event: GuardrailEvent, block: GuardrailBlock): Promise<void>;
  masked(event: GuardrailEvent, findings: readonly GuardrailFinding[]): void;
  /** Findings of a check that only watches. */
  observed(event: GuardrailEvent, findings: readonly GuardrailFinding[]): void;
  /** The guardrails could not be reached. */
  unavailable(event: GuardrailEvent, passed: boolean, cause: unknown): void;
}
