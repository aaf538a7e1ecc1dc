import { GatewayError } from "@gatehouse/errors";
import type { ConsultResponse, InspectRequest, InspectResponse } from "@gatehouse/proto/guardrail";
import { inSpan, type Tracing } from "@gatehouse/telemetry";
import { composeSpans } from "./compose-spans.ts";
import type { GuardrailRpc } from "./create-guardrail-client.ts";
import type { GuardrailAnswer, GuardrailQuestion, InspectedText, Judgement } from "./guardrail-client.ts";
import { isUnreachable, toFinding } from "./messages.ts";
import type { MaskedSpan } from "./units.ts";

/** Judgement of the gateway's guardrails, and the input for external ones. */
export interface Judged {
  readonly request: InspectRequest;
  readonly response: InspectResponse;
  readonly judgement: Judgement;
}

/** Consults external guardrails about texts that the gateway's own let pass. */
type ConsultExternals = (question: GuardrailQuestion, judged: Judged) => Promise<GuardrailAnswer>;

interface Round {
  readonly isParallel: boolean;
  /** Time bound of the guardrails, milliseconds. */
  readonly withinMs: number;
}

/** Consults external guardrails: before the model, or parallel to it by the answer's `askBeside` where the caller supports that. */
export function createConsultExternals(
  rpc: GuardrailRpc,
  /** Bound of the request itself, in addition to the external guardrails' time. */
  timeoutMs: number,
  tracing: Tracing,
  /** Whether calls go on unguarded while the guardrail service is away. */
  mayPass: (question: GuardrailQuestion) => boolean,
): ConsultExternals {
  async function consult(
    question: GuardrailQuestion,
    { request, judgement }: Omit<Judged, "response">,
    { isParallel, withinMs }: Round,
  ): Promise<GuardrailAnswer> {
    const { abort, side, traceparent, asksBeside = false } = question;
    const { maskedTexts } = judgement;
    // The judgement before the model is already recorded then.
    const first = isParallel ? withoutSaid(judgement) : judgement;
    const texts = request.texts.map((entry, index) => ({ ...entry, text: maskedTexts?.[index] ?? entry.text }));
    const attributes = { "gatehouse.guardrail.side": side, "gatehouse.guardrail.beside_model": isParallel };
    const span = tracing.start("guardrail consult", { kind: "client", parent: traceparent, attributes });
    try {
      const asked = {
        question: { ...request, texts, placeholders: [...judgement.placeholders] },
        isParallel,
        isJoint: !asksBeside,
      };
      const options = { signal: abort.signal, deadline: timeoutMs + withinMs };
      const response = await inSpan(span, async () => await rpc.consult(asked, options));
      span.end();
      if (response.isRefused) return { kind: "unavailable", mayPass: false, cause: refusedByExternal() };
      return response.policyAbsent ? first : addTo(first, request.texts, response);
    } catch (err) {
      span.end(err);
      if (!isUnreachable(err)) throw err;
      // Values masked by the gateway's own checks stay masked, and those checks decide whether the answer is judged.
      return mayPass(question) ? { ...first, unasked: err } : { kind: "unavailable", mayPass: false, cause: err };
    }
  }

  return async (question, judged) => {
    const { asksBeside = false } = question;
    const { consultMs, parallelConsultMs } = judged.response;
    const beforeMs = consultMs + (asksBeside ? 0 : parallelConsultMs);
    const round = { isParallel: false, withinMs: beforeMs };
    const before = beforeMs === 0 ? judged.judgement : await consult(question, judged, round);
    const isDone = before.kind !== "judged" || before.block !== undefined || !asksBeside || parallelConsultMs === 0;
    if (isDone) return before;
    const beside = { isParallel: true, withinMs: parallelConsultMs };
    return { ...before, askBeside: async () => await consult(question, { ...judged, judgement: before }, beside) };
  };
}

function withoutSaid({ unasked: _recorded, ...judgement }: Judgement): Judgement {
  return { ...judgement, findings: [], maskedTexts: undefined, maskedSpans: [] };
}

/** Adds the external guardrails' changes of the texts to the earlier masks. */
function addTo(first: Judgement, texts: readonly InspectedText[], later: ConsultResponse): Judgement {
  const findings = [...first.findings, ...later.findings.map(toFinding)];
  if (later.blocked) return { ...first, findings, block: { detector: later.reason, message: later.message } };
  if (later.maskedTexts.length === 0) return { ...first, findings };
  const own = spansByText(first.maskedSpans);
  const replaced = spansByText(later.maskedSpans);
  const maskedSpans = texts.flatMap(({ text }, textIndex) => {
    const before = first.maskedTexts?.[textIndex] ?? text;
    return composeSpans(before, own.get(textIndex) ?? [], replaced.get(textIndex) ?? []);
  });
  const placeholders = later.placeholders.length === 0 ? first.placeholders : later.placeholders;
  return { ...first, findings, maskedTexts: later.maskedTexts, maskedSpans, placeholders };
}

function spansByText(spans: readonly MaskedSpan[]): ReadonlyMap<number, readonly MaskedSpan[]> {
  return Map.groupBy(spans, ({ textIndex }) => textIndex);
}

function refusedByExternal(): GatewayError {
  return new GatewayError(
    "unavailable",
    "An external guardrail failed, and the policy refuses calls without it. Try again shortly.",
  );
}
