import { GatewayError } from "@gatehouse/errors";
import {
  type Finding as FindingMessage,
  OutputCheck as OutputCheckMessage,
  type Policy,
  type PolicyOwner as PolicyOwnerMessage,
  PolicySource as PolicySourceMessage,
} from "@gatehouse/proto/guardrail";
import type { Finding } from "../domain/policy/verdict.ts";
import type { OutputCheck, PolicyOwner, PolicySource, SavedPolicy } from "../domain/policy-owner.ts";

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

export function fromOutputCheck(check: OutputCheck): OutputCheckMessage {
  switch (check) {
    case "none":
      return OutputCheckMessage.OUTPUT_CHECK_UNSPECIFIED;
    case "before_reply":
      return OutputCheckMessage.OUTPUT_CHECK_BEFORE_REPLY;
    case "after_reply":
      return OutputCheckMessage.OUTPUT_CHECK_AFTER_REPLY;
  }
}

export function fromSource(source: PolicySource | undefined): PolicySourceMessage {
  switch (source) {
    case undefined:
      return PolicySourceMessage.POLICY_SOURCE_UNSPECIFIED;
    case "project":
      return PolicySourceMessage.POLICY_SOURCE_PROJECT;
    case "endpoint":
      return PolicySourceMessage.POLICY_SOURCE_ENDPOINT;
  }
}

export function fromPolicy({ document, updatedAt }: SavedPolicy, source: PolicySource): Policy {
  return { documentJson: JSON.stringify(document), source: fromSource(source), updatedAt };
}
