import type { GuardrailServiceDefinition, InspectResponse } from "@gatehouse/proto/guardrail";
import type { RpcClient } from "@gatehouse/rpc";
import { inSpan, type Span, type Tracing, untraced } from "@gatehouse/telemetry";
import { createAskDocuments } from "./ask-documents.ts";
import { createConsultExternals, type Judged } from "./consult-externals.ts";
import type { GuardrailAnswer, GuardrailClient, GuardrailQuestion, Judgement } from "./guardrail-client.ts";
import { isUnreachable, toContext, toFinding, toRequest } from "./messages.ts";
import { PolicyCache } from "./policy-cache.ts";
import { areLong, deadlineMs, isLate } from "./question-deadline.ts";

/** Client of the guardrail service over gRPC, or of its implementation in the same process. */
export type GuardrailRpc = RpcClient<typeof GuardrailServiceDefinition>;

/**
 * Calls the guardrail service, and remembers what is needed to continue or refuse while it does not answer.
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
  const askDocuments = createAskDocuments(rpc, timeoutMs);
  const consultExternals = createConsultExternals(rpc, timeoutMs, tracing, mayPass);
  return {
    inspect(question) {
      if (memory.isFreshlyAbsent(placeOf(question))) return { kind: "no_policy" };
      return inspect(question);
    },
    async inspectPiece({ signal, context, ...asked }) {
      const piece = { ...asked, ...(context !== undefined && { context: toContext(context) }) };
      try {
        const answer = await rpc.inspectPiece(piece, { signal, deadline: timeoutMs });
        const { shown, state, blocked, message, reason, findings, masked } = answer;
        const block = blocked ? { detector: reason, message } : undefined;
        return { kind: "judged", shown, state, block, findings: findings.map(toFinding), isMasked: masked };
      } catch (err) {
        if (!isUnreachable(err)) throw err;
        const place = placeOf({ ...piece, surface: surfaceOfPieces });
        return { kind: "unavailable", mayPass: memory.mayPassUnguarded(place), cause: err };
      }
    },
  };

  async function inspect(question: GuardrailQuestion): Promise<GuardrailAnswer> {
    const judged = await inspectHere(question);
    return "response" in judged ? await consultExternals(question, judged) : judged;
  }

  async function inspectHere(question: GuardrailQuestion): Promise<GuardrailAnswer | Judged> {
    const place = placeOf(question);
    const askedAt = now();
    const texts = question.texts();
    const request = toRequest(question, texts instanceof Promise ? await texts : texts);
    const isLong = areLong(request.texts);
    const span = startSpan(tracing, question);
    try {
      const options = { signal: question.signal(), deadline: deadlineMs(timeoutMs, isLong) };
      const response = await inSpan(span, async () => await rpc.inspect(request, options));
      memory.record(place, policyKindOf(response), askedAt);
      const judgement = response.policyAbsent ? undefined : await askDocuments(question, response, span);
      noteOutcome(span, judgement);
      span.end();
      if (judgement === undefined) return { kind: "no_policy" };
      const isDone = judgement.block !== undefined || response.consultMs + response.parallelConsultMs === 0;
      return isDone ? judgement : { request, response, judgement };
    } catch (err) {
      span.end(err);
      if (!isUnreachable(err)) throw err;
      // Lateness due to length is the caller's doing, and must not disable the checks.
      const mayPass = memory.mayPassUnguarded(place) && !(isLong && isLate(err));
      return { kind: "unavailable", mayPass, cause: err };
    }
  }
}

function startSpan(tracing: Tracing, { side, traceparent }: GuardrailQuestion): Span {
  const attributes = { "gatehouse.guardrail.side": side };
  return tracing.start("guardrail inspect", { kind: "client", parent: traceparent, attributes });
}

/** Records the decision and its detector; neither texts nor messages, which may quote a keyword. */
function noteOutcome(span: Span, judgement: Judgement | undefined): void {
  if (judgement === undefined) span.set({ "gatehouse.guardrail.policy": "none" });
  else if (judgement.block !== undefined) {
    span.set({ "gatehouse.guardrail.blocked": true, "gatehouse.guardrail.detector": judgement.block.detector });
  } else {
    const isMasked = judgement.maskedTexts !== undefined;
    span.set({ "gatehouse.guardrail.blocked": false, "gatehouse.guardrail.masked": isMasked });
  }
}

function policyKindOf({ policyAbsent, failsOpen }: InspectResponse): "absent" | "fails_open" | "fails_closed" {
  if (policyAbsent) return "absent";
  return failsOpen ? "fails_open" : "fails_closed";
}

/** Only models' answers are judged in pieces. */
const surfaceOfPieces = "chat";

type Place = Pick<GuardrailQuestion, "projectUuid" | "endpointUuid" | "surface">;

/** Key of the place that a policy's answer applies to. */
function placeOf({ projectUuid, endpointUuid, surface }: Place): string {
  return `${surface} ${endpointUuid ?? projectUuid}`;
}
