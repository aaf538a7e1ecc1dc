import { andThen } from "@gatehouse/async";
import type { InspectRequest, InspectResponse } from "@gatehouse/proto/guardrail";
import { callDirectly } from "@gatehouse/rpc";
import { inSpan, type Span, type Tracing } from "@gatehouse/telemetry";
import { createAskDocuments } from "./ask-documents.ts";
import type { Judged } from "./consult-externals.ts";
import type { GuardrailRpc } from "./create-guardrail-client.ts";
import type { GuardrailAnswer, GuardrailQuestion, InspectedText, Judgement, Side } from "./guardrail-client.ts";
import { isUnreachable, toRequest } from "./messages.ts";
import type { PolicyCache } from "./policy-cache.ts";
import { areLong, deadlineMs, isLate } from "./question-deadline.ts";

interface AskTextsOptions {
  /** Bound of one question. */
  readonly timeoutMs: number;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  readonly tracing: Tracing;
  readonly memory: PolicyCache;
}

/** Judgement of the gateway's own guardrails; `Judged` where external ones follow. */
type Taken = GuardrailAnswer | Judged;

/** Asks the gateway's own guardrails about the texts of a question at a place, without a promise where they answer at once. */
type AskTexts = (question: GuardrailQuestion, place: string, texts: readonly InspectedText[]) => Taken | Promise<Taken>;

/** A question on its way. */
interface Asked {
  readonly question: GuardrailQuestion;
  readonly place: string;
  readonly request: InspectRequest;
  readonly askedAt: number;
  readonly isLong: boolean;
  readonly span: Span;
}

/** Creates the function that asks, and that remembers each answer's policy in the options' memory. */
export function createAskTexts(rpc: GuardrailRpc, { timeoutMs, now, tracing, memory }: AskTextsOptions): AskTexts {
  const ask = callDirectly(rpc, "inspect");
  const askDocuments = createAskDocuments(rpc, timeoutMs);
  return (question, place, texts) => {
    const request = toRequest(question, texts);
    const isLong = areLong(texts);
    const asked = { question, place, request, askedAt: now(), isLong, span: startSpan(tracing, question) };
    const options = { abort: question.abort, deadline: deadlineMs(timeoutMs, isLong) };
    try {
      const response = inSpan(asked.span, () => ask(request, options));
      const taken = andThen(response, (answer) => take(asked, answer));
      return taken instanceof Promise ? taken.catch((err: unknown) => takeFailure(asked, err)) : taken;
    } catch (err) {
      return takeFailure(asked, err);
    }
  };

  function take(asked: Asked, response: InspectResponse): Taken | Promise<Taken> {
    const { place, askedAt, span } = asked;
    memory.record(place, policyKindOf(response), askedAt);
    if (!response.policyAbsent) {
      const judgement = askDocuments(asked.question, response, span);
      return andThen(judgement, (whole) => conclude(asked, response, whole));
    }
    if (span.isRecorded) span.set({ "gatehouse.guardrail.policy": "none" });
    span.end();
    return noPolicy;
  }

  function takeFailure({ place, isLong, span }: Asked, err: unknown): GuardrailAnswer {
    span.end(err);
    if (!isUnreachable(err)) throw err;
    // Lateness due to length is the caller's doing, and must not disable the checks.
    const mayPass = memory.mayPassUnguarded(place) && !(isLong && isLate(err));
    return { kind: "unavailable", mayPass, cause: err };
  }
}

/** Answer where no policy applies. */
export const noPolicy: GuardrailAnswer = { kind: "no_policy" };

function conclude({ request, span }: Asked, response: InspectResponse, judgement: Judgement): Taken {
  if (span.isRecorded) noteOutcome(span, judgement);
  span.end();
  const isDone = judgement.block !== undefined || response.consultMs + response.parallelConsultMs === 0;
  return isDone ? judgement : { request, response, judgement };
}

const sideAttributes: Readonly<Record<Side, Readonly<Record<string, string>>>> = {
  input: { "gatehouse.guardrail.side": "input" },
  output: { "gatehouse.guardrail.side": "output" },
};

function startSpan(tracing: Tracing, { side, traceparent }: GuardrailQuestion): Span {
  const attributes = sideAttributes[side];
  return tracing.start("guardrail inspect", { kind: "client", parent: traceparent, attributes });
}

/** Records the decision and its detector; neither texts nor messages, which may quote a keyword. */
function noteOutcome(span: Span, judgement: Judgement): void {
  if (judgement.block !== undefined) {
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
