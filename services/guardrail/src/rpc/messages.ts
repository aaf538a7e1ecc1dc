import { type Finding as FindingMessage, OutputCheck as OutputCheckMessage } from "@gatehouse/proto/guardrail";
import type { OutputCheck } from "../domain/policy-owner.ts";
import { type Finding, findingsMax, type Verdict } from "../domain/policy/verdict.ts";

/** Findings as messages, at most as many as one reply may hold. */
export function fromFindings(findings: readonly Finding[]): FindingMessage[] {
  if (findings.length === 0) return [];
  return findings.slice(0, findingsMax).map(({ detector, label, start, end, textIndex, score }) => {
    return { detector, label, start, end, textIndex, score };
  });
}

/** Fields of a verdict that every answer has. */
export function fromVerdict({ blocked, message = "", reason, findings, maskedTexts, maskedSpans }: Verdict) {
  return {
    blocked,
    message,
    reason: reason ?? "",
    findings: fromFindings(findings),
    maskedTexts: [...(maskedTexts ?? [])],
    maskedSpans: (maskedSpans ?? []).map(({ textIndex, start, end, label, isVerbatim = false }) => {
      return { textIndex, start, end, label, isVerbatim };
    }),
  };
}

const outputChecks: Readonly<Record<OutputCheck, OutputCheckMessage>> = {
  none: OutputCheckMessage.OUTPUT_CHECK_UNSPECIFIED,
  before_reply: OutputCheckMessage.OUTPUT_CHECK_BEFORE_REPLY,
  after_reply: OutputCheckMessage.OUTPUT_CHECK_AFTER_REPLY,
  whole: OutputCheckMessage.OUTPUT_CHECK_WHOLE,
};

/** The contract's word for when answers are judged. */
export function fromOutputCheck(check: OutputCheck): OutputCheckMessage {
  return outputChecks[check];
}
