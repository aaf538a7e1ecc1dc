import type { DeepPartial, InspectRequest, InspectResponse } from "@gatehouse/proto/guardrail";
import type { PolicyCatalog } from "../app/policy-catalog.ts";
import type { VerdictRecords } from "../app/verdict-records.ts";
import { externalsFor, longestOf } from "../domain/external/external-document.ts";
import type { CompiledPolicy } from "../domain/policy/compile-policy.ts";
import type { Judge } from "../domain/policy/judge.ts";
import type { Side } from "../domain/policy/verdict.ts";
import { answerCheckOf } from "./answer-check.ts";
import { fromOutputCheck, fromVerdict } from "./messages.ts";
import { ownerOf, questionOf } from "./question.ts";

/** The means of judging. */
export interface InspectContext {
  readonly policies: PolicyCatalog;
  readonly judge: Judge;
  /** Keeps what is found. */
  readonly records: VerdictRecords;
}

/** @throws GatewayError `unavailable` where the policy is not in memory and the database is away; and see `Judge`. */
export async function handleInspect(
  { policies, judge, records }: InspectContext,
  request: InspectRequest,
  call: { readonly signal: AbortSignal },
): Promise<DeepPartial<InspectResponse>> {
  const { projectUuid, surface, side, texts, context, placeholders, areDocuments } = questionOf(request);
  const found = policies.find(ownerOf(request));
  const inForce = found instanceof Promise ? await found : found;
  if (inForce === undefined || !inForce.policy.document.surfaces.includes(surface)) {
    return { policyAbsent: true };
  }
  const { policy } = inForce;
  const { outputCheck, hasPlainMasks } = answerCheckOf(policy, { surface, context });
  const asked = { texts, side, placeholders, areDocuments, hasPlainMasks, ...(context && { context }) };
  const judged = judge(policy, asked, { project: projectUuid, call });
  const verdict = judged instanceof Promise ? await judged : judged;
  const judgement = { owner: ownerOf(request), policy, request: asked, verdict };
  // The call has been compared on its texts.
  if (areDocuments) records.recordFindings(judgement);
  else records.record(judgement);
  return {
    ...fromVerdict(verdict),
    outputCheck: fromOutputCheck(outputCheck),
    failsOpen: policy.document.on_unavailable === "open",
    placeholders: [...(verdict.placeholders ?? [])],
    asksDocuments: policy.hasPaths && !areDocuments,
    ...consultTimes(policy, side),
  };
}

/** Longest time of the guardrails elsewhere; nothing where the policy names none. */
function consultTimes({ document: { external } }: CompiledPolicy, side: Side): Partial<InspectResponse> {
  if (external.length === 0) return {};
  const [before, parallel] = [false, true].map((isParallel) =>
    longestOf(externalsFor(external, { side, isParallel, isJoint: false })),
  );
  return { consultMs: before ?? 0, parallelConsultMs: parallel ?? 0 };
}
