import { GatewayError } from "@gatehouse/errors";
import {
  type Finding as FindingMessage,
  OutputCheck as OutputCheckMessage,
  type PolicyOwner as PolicyOwnerMessage,
  PolicySource as PolicySourceMessage,
} from "@gatehouse/proto/guardrail";
import { type PolicyDocument, showPolicy } from "../domain/policy/policy-document.ts";
import type { Finding } from "../domain/policy/verdict.ts";
import type { OutputCheck, PolicyOwner, PolicySource } from "../domain/policy-owner.ts";

/** Findings in one answer: a hostile text can have very many, and an answer has a bound. */
const findingsMax = 1_000;

export function toOwner(message: PolicyOwnerMessage | undefined): PolicyOwner {
  if (message === undefined || message.projectUuid === "") {
    throw new GatewayError("invalid_argument", "A policy's owner needs a project.");
  }
  const { projectUuid, endpointUuid } = message;
  return { projectUuid, endpointUuid: endpointUuid === "" ? undefined : endpointUuid };
}

export function fromFindings(findings: readonly Finding[]): FindingMessage[] {
  return findings.slice(0, findingsMax).map(({ detector, label, start, end, textIndex, score }) => {
    return { detector, label, start, end, textIndex, score };
  });
}

const outputChecks: Readonly<Record<OutputCheck, OutputCheckMessage>> = {
  none: OutputCheckMessage.OUTPUT_CHECK_UNSPECIFIED,
  before_reply: OutputCheckMessage.OUTPUT_CHECK_BEFORE_REPLY,
  after_reply: OutputCheckMessage.OUTPUT_CHECK_AFTER_REPLY,
};

export function fromOutputCheck(check: OutputCheck): OutputCheckMessage {
  return outputChecks[check];
}

const sources: Readonly<Record<PolicySource, PolicySourceMessage>> = {
  project: PolicySourceMessage.POLICY_SOURCE_PROJECT,
  endpoint: PolicySourceMessage.POLICY_SOURCE_ENDPOINT,
  both: PolicySourceMessage.POLICY_SOURCE_BOTH,
};

/** Undefined where there is no policy. */
export function fromSource(source: PolicySource | undefined): PolicySourceMessage {
  return source === undefined ? PolicySourceMessage.POLICY_SOURCE_UNSPECIFIED : sources[source];
}

/** A policy as JSON text, with every default filled in. */
export function fromDocument(document: PolicyDocument): string {
  return JSON.stringify(showPolicy(document));
}
