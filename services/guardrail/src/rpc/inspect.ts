import { andThen } from "@gatehouse/async";
import { type InspectRequest, InspectResponse } from "@gatehouse/proto/guardrail";
import type { PolicyCatalog } from "../app/policy-catalog.ts";
import type { VerdictRecords } from "../app/verdict-records.ts";
import { externalsFor, longestOf } from "../domain/external/external-document.ts";
import type { CompiledPolicy } from "../domain/policy/compile-policy.ts";
import type { Judge } from "../domain/policy/judge.ts";
import type { Side } from "../domain/policy/verdict.ts";
import { answerCheckOf } from "./answer-check.ts";
import { fromOutputCheck, fromVerdict } from "./messages.ts";
import { ownerOf, type Question, questionOf } from "./question.ts";

/** The means of judging. */
export interface InspectContext {
  readonly policies: PolicyCatalog;
  readonly judge: Judge;
  /** Keeps what is found. */
  readonly records: VerdictRecords;
}

/** Signal of a question's caller, read only where a text waits for a thread. */
export interface AskedCall {
  readonly signal: AbortSignal;
}

/**
 * Answers without a promise where the policy is in memory and the texts are short or known.
 * @throws GatewayError `unavailable` where the policy is not in memory and the database is away; and see `Judge`.
 */
export function handleInspect(
  context: InspectContext,
  request: InspectRequest,
  call: AskedCall,
): InspectResponse | Promise<InspectResponse> {
  const question = questionOf(request);
  return andThen(context.policies.find(ownerOf(question)), (inForce) => {
    if (inForce?.policy.document.surfaces.includes(question.surface) !== true)
      return InspectResponse.fromPartial({ policyAbsent: true });
    return judgeBy(inForce.policy, { context, question, call });
  });
}

interface Judging {
  readonly context: InspectContext;
  readonly question: Question;
  readonly call: AskedCall;
}

function judgeBy(
  policy: CompiledPolicy,
  { context: { judge, records }, question, call }: Judging,
): InspectResponse | Promise<InspectResponse> {
  const { projectUuid, side, texts, context, placeholders, areDocuments } = question;
  const { outputCheck, hasPlainMasks } = answerCheckOf(policy, question);
  const asked = { texts, side, placeholders, areDocuments, hasPlainMasks, context };
  return andThen(judge(policy, asked, { project: projectUuid, call }), (verdict) => {
    const judgement = { owner: ownerOf(question), policy, request: asked, verdict };
    // The call has been compared on its texts.
    if (areDocuments) records.recordFindings(judgement);
    else records.record(judgement);
    return {
      ...fromVerdict(verdict),
      policyAbsent: false,
      outputCheck: fromOutputCheck(outputCheck),
      failsOpen: policy.document.on_unavailable === "open",
      ...consultTimes(policy, side),
      placeholders: [...(verdict.placeholders ?? [])],
      asksDocuments: policy.hasPaths && !areDocuments,
    };
  });
}

const noConsulting = { consultMs: 0, parallelConsultMs: 0 };

/** Longest time of the guardrails elsewhere; nothing where the policy names none. */
function consultTimes(
  { document: { external } }: CompiledPolicy,
  side: Side,
): Pick<InspectResponse, "consultMs" | "parallelConsultMs"> {
  if (external.length === 0) return noConsulting;
  const [before, parallel] = [false, true].map((isParallel) =>
    longestOf(externalsFor(external, { side, isParallel, isJoint: false })),
  );
  return { consultMs: before ?? 0, parallelConsultMs: parallel ?? 0 };
}
