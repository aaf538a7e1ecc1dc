import type { ConsultRequest, DeepPartial, InspectResponse } from "@gatehouse/proto/guardrail";
import type { Consult } from "../app/consult.ts";
import type { InspectContext } from "./inspect.ts";
import { fromFindings } from "./messages.ts";
import { questionOf } from "./question.ts";

/** @throws GatewayError `unavailable` where the policy is not in memory and the database is away. */
export async function handleConsult(
  { policies, consult }: Pick<InspectContext, "policies"> & { readonly consult: Consult },
  { question, isParallel, isJoint }: ConsultRequest,
  signal: AbortSignal,
): Promise<DeepPartial<InspectResponse>> {
  const asked = questionOf(question);
  const { projectUuid, endpointUuid } = asked;
  const found = policies.find({ projectUuid, endpointUuid: endpointUuid === "" ? undefined : endpointUuid });
  const inForce = found instanceof Promise ? await found : found;
  if (inForce === undefined || !inForce.policy.document.surfaces.includes(asked.surface)) return { policyAbsent: true };
  const { texts, side } = asked;
  const place = { projectUuid, endpointUuid, signal };
  const { verdict, isRefused } = await consult(inForce.policy, { texts, side, isParallel, isJoint }, place);
  return {
    blocked: verdict.blocked,
    message: verdict.message ?? "",
    reason: verdict.reason ?? "",
    findings: fromFindings(verdict.findings),
    maskedTexts: [...(verdict.maskedTexts ?? [])],
    maskedSpans: [...(verdict.maskedSpans ?? [])],
    isRefused,
  };
}
