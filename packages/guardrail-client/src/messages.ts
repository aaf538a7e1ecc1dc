import { isGatewayError } from "@gatehouse/errors";
import {
  type Finding,
  type InspectRequest,
  type InspectResponse,
  OutputCheck as OutputCheckMessage,
  Side as SideMessage,
  Surface as SurfaceMessage,
} from "@gatehouse/proto/guardrail";
import type {
  GuardrailFinding,
  GuardrailQuestion,
  InspectedText,
  Judgement,
  OutputCheck,
  Surface,
} from "./guardrail-client.ts";

const surfaces: Readonly<Record<Surface, SurfaceMessage>> = {
  chat: SurfaceMessage.SURFACE_CHAT,
  mcp: SurfaceMessage.SURFACE_MCP,
  api: SurfaceMessage.SURFACE_API,
};

/** The whole message of a question and some of its texts; an absent endpoint becomes the empty string. */
export function toRequest(
  { projectUuid, endpointUuid = "", surface, side, context, placeholders = [] }: GuardrailQuestion,
  texts: readonly InspectedText[],
): InspectRequest {
  return {
    projectUuid,
    endpointUuid,
    surface: surfaces[surface],
    side: side === "input" ? SideMessage.SIDE_INPUT : SideMessage.SIDE_OUTPUT,
    texts: texts.map(toText),
    context: context?.(),
    placeholders: placeholders.map(({ label, value }) => ({ label, value })),
    areDocuments: false,
  };
}

function toText({
  role,
  text,
  tool = "",
  addedLength = 0,
  isAside = false,
}: InspectedText): InspectRequest["texts"][number] {
  return { role, text, tool, addedLength, isAside };
}

/** A finding without a span is a score below the threshold, reported in log mode. */
export function toFinding({ detector, score, start, end }: Finding): GuardrailFinding {
  return { detector, score, isHit: end > start };
}

/** Whether the guardrails are unreachable. Other failures, such as a defect that a text could provoke, never let a call pass. */
export function isUnreachable(err: unknown): boolean {
  return isGatewayError(err) && (err.code === "unavailable" || err.code === "deadline_exceeded");
}

const outputChecks: Readonly<Record<OutputCheckMessage, OutputCheck>> = {
  [OutputCheckMessage.OUTPUT_CHECK_UNSPECIFIED]: "none",
  [OutputCheckMessage.OUTPUT_CHECK_BEFORE_REPLY]: "before_reply",
  [OutputCheckMessage.OUTPUT_CHECK_AFTER_REPLY]: "after_reply",
  [OutputCheckMessage.OUTPUT_CHECK_WHOLE]: "whole",
};

/** Decodes the reply of `Inspect`; empty masked texts mean that nothing was masked. */
export function toJudgement(response: InspectResponse): Judgement {
  const { blocked, message, reason, findings, maskedTexts, maskedSpans, outputCheck } = response;
  return {
    kind: "judged",
    block: blocked ? { detector: reason, message } : undefined,
    findings: findings.map(toFinding),
    maskedTexts: maskedTexts.length === 0 ? undefined : maskedTexts,
    maskedSpans,
    outputCheck: outputChecks[outputCheck],
    failsOpen: response.failsOpen,
    placeholders: response.placeholders,
  };
}
