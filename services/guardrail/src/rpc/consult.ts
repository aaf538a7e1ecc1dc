import type { ConsultRequest, ConsultResponse, DeepPartial } from "@gatehouse/proto/guardrail";
import type { Consult } from "../app/consult.ts";
import { answerCheckOf } from "./answer-check.ts";
import type { InspectContext } from "./inspect.ts";
import { fromVerdict } from "./messages.ts";
import { ownerOf, questionOf } from "./question.ts";

/** @throws GatewayError `unavailable` where the policy is not in memory and the database is away. */
export async function handleConsult(
  { policies, records, consult }: Pick<InspectContext, "policies" | "records"> & { readonly consult: Consult },
  { question, isParallel, isJoint }: ConsultRequest,
  signal: AbortSignal,
): Promise<DeepPartial<ConsultResponse>> {
  const asked = questionOf(question);
  const { projectUuid, endpointUuid } = asked;
  const found = policies.find(ownerOf(asked));
  const inForce = found instanceof Promise ? await found : found;
  if (inForce === undefined || !inForce.policy.document.surfaces.includes(asked.surface)) return { policyAbsent: true };
  const { policy } = inForce;
  const { texts, side, placeholders } = asked;
  const isReversible = policy.document.reversible_masks === true && side === "input";
  const isNumbered = isReversible && !answerCheckOf(policy, asked).hasPlainMasks;
  const consulted = { texts, side, isParallel, isJoint, ...(isNumbered && { placeholders }) };
  const { verdict, isRefused } = await consult(policy, consulted, { projectUuid, endpointUuid, signal });
  const { context } = asked;
  records.recordFindings({
    owner: ownerOf(asked),
    policy,
    request: { texts, side, ...(context && { context }) },
    verdict,
  });
  return {
    ...fromVerdict(verdict),
    isRefused,
    placeholders: [...(verdict.placeholders ?? [])],
  };
}
