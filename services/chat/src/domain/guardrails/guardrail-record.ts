import type { GuardrailFinding, Side } from "./guardrail-client.ts";

export interface GuardrailEvent {
  readonly requestId: string;
  readonly projectUuid: string;
  readonly endpointUuid: string;
  readonly side: Side;
}

/** Keeps what the guardrails did, in logs and metrics: detectors and scores, never a text. */
export interface GuardrailRecord {
  blocked(event: GuardrailEvent, detector: string): void;
  masked(event: GuardrailEvent, findings: readonly GuardrailFinding[]): void;
  /** Findings of a check that only watches. */
  observed(event: GuardrailEvent, findings: readonly GuardrailFinding[]): void;
  /** The guardrails could not be reached. */
  unavailable(event: GuardrailEvent, passed: boolean, cause: unknown): void;
}
