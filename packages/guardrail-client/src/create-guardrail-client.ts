import { isGatewayError } from "@gatehouse/errors";
import {
  type GuardrailServiceDefinition,
  type InspectResponse,
  OutputCheck as OutputCheckMessage,
} from "@gatehouse/proto/guardrail";
import type { RpcClient } from "@gatehouse/rpc";
import { inSpan, type Span, type Tracing, untraced } from "@gatehouse/telemetry";
import { createConsultExternals, type Judged } from "./consult-externals.ts";
import type {
  GuardrailAnswer,
  GuardrailClient,
  GuardrailQuestion,
  InspectedText,
  Judgement,
  OutputCheck,
} from "./guardrail-client.ts";
import { isUnreachable, toContext, toFinding, toRequest } from "./messages.ts";
import { PolicyCache } from "./policy-cache.ts";

/** The guardrail service, in this process or another. */
export type GuardrailRpc = RpcClient<typeof GuardrailServiceDefinition>;

/** UTF-16 units of a question beyond which it may wait for a thread of the guardrails. */
const longTextUnits = 32 * 1024;
/** Time that such a question has besides: a wait of 2.5 s and work of 2 s, after which the guardrails themselves refuse. */
const longTextMsMax = 5_000;

const outputChecks: Readonly<Record<OutputCheckMessage, OutputCheck>> = {
  [OutputCheckMessage.OUTPUT_CHECK_UNSPECIFIED]: "none",
  [OutputCheckMessage.OUTPUT_CHECK_BEFORE_REPLY]: "before_reply",
  [OutputCheckMessage.OUTPUT_CHECK_AFTER_REPLY]: "after_reply",
  [OutputCheckMessage.OUTPUT_CHECK_WHOLE]: "whole",
};

/**
 * Asks the guardrail service, and remembers what it must to go on, or to refuse, while there is no answer.
 * @param timeoutMs bound of one question
 * @param now milliseconds of a monotonic clock
 * @param tracing where each question becomes a span
 */
export function createGuardrailClient(
  rpc: GuardrailRpc,
  timeoutMs: number,
  now: () => number,
  tracing: Tracing = untraced,
): GuardrailClient {
  const memory = new PolicyCache(now);
  const mayPass = (question: GuardrailQuestion): boolean => memory.mayPassUnguarded(placeOf(question));
  const consultExternals = createConsultExternals(rpc, timeoutMs, tracing, mayPass);
  return {
    inspect(question) {
      if (memory.isFreshlyAbsent(placeOf(question))) return { kind: "no_policy" };
      return inspect(question);
    },
    async inspectPiece({ signal, context, ...asked }) {
      const piece = { ...asked, ...(context !== undefined && { context: toContext(context) }) };
      try {
        const { shown, state, blocked, message, reason, findings, masked } = await rpc.inspectPiece(piece, {
          signal,
          deadline: timeoutMs,
        });
        const block = blocked ? { detector: reason, message } : undefined;
        return { kind: "judged", shown, state, block, findings: findings.map(toFinding), isMasked: masked };
      } catch (err) {
        if (!isUnreachable(err)) throw err;
        return { kind: "unavailable", mayPass: memory.mayPassUnguarded(piece.endpointUuid), cause: err };
      }
    },
  };

  async function inspect(question: GuardrailQuestion): Promise<GuardrailAnswer> {
    const judged = await inspectHere(question);
    return "response" in judged ? await consultExternals(question, judged) : judged;
  }

  async function inspectHere(question: GuardrailQuestion): Promise<GuardrailAnswer | Judged> {
    const { signal, side, traceparent } = question;
    const place = placeOf(question);
    const askedAt = now();
    const texts = question.texts();
    const request = toRequest(question, texts instanceof Promise ? await texts : texts);
    const isLong = unitsOf(request.texts) > longTextUnits;
    const attributes = { "gatehouse.guardrail.side": side };
    const span = tracing.start("guardrail inspect", { kind: "client", parent: traceparent, attributes });
    try {
      const deadline = timeoutMs + (isLong ? longTextMsMax : 0);
      const response = await inSpan(span, async () => await rpc.inspect(request, { signal, deadline }));
      memory.record(place, policyKindOf(response), askedAt);
      noteOutcome(span, response);
      span.end();
      if (response.policyAbsent) return { kind: "no_policy" };
      const judgement = toJudgement(response);
      const isDone = judgement.block !== undefined || response.consultMs + response.parallelConsultMs === 0;
      return isDone ? judgement : { request, response, judgement };
    } catch (err) {
      span.end(err);
      if (!isUnreachable(err)) throw err;
      // Late for its length: the caller's doing, which must not switch the checks off.
      const mayPass = memory.mayPassUnguarded(place) && !(isLong && isLate(err));
      return { kind: "unavailable", mayPass, cause: err };
    }
  }
}

/** The decision and its detector; nothing of the texts, nor a message, which may quote a keyword. */
function noteOutcome(span: Span, { policyAbsent, blocked, reason, maskedTexts }: InspectResponse): void {
  if (policyAbsent) span.set({ "gatehouse.guardrail.policy": "none" });
  else if (blocked) span.set({ "gatehouse.guardrail.blocked": true, "gatehouse.guardrail.detector": reason });
  else span.set({ "gatehouse.guardrail.blocked": false, "gatehouse.guardrail.masked": maskedTexts.length > 0 });
}

function isLate(err: unknown): boolean {
  return isGatewayError(err) && err.code === "deadline_exceeded";
}

function unitsOf(texts: readonly InspectedText[]): number {
  return texts.reduce((total, { text }) => total + text.length, 0);
}

function policyKindOf({ policyAbsent, failsOpen }: InspectResponse): "absent" | "fails_open" | "fails_closed" {
  if (policyAbsent) return "absent";
  return failsOpen ? "fails_open" : "fails_closed";
}

/** The place that an answer about a policy holds for. */
function placeOf({ projectUuid, endpointUuid, surface }: GuardrailQuestion): string {
  return `${surface} ${endpointUuid ?? projectUuid}`;
}

function toJudgement(response: InspectResponse): Judgement {
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
