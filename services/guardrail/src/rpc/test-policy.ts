import type { DeepPartial, TestPolicyRequest, TestPolicyResponse } from "@gatehouse/proto/guardrail";
import type { AdminContext } from "./admin-context.ts";
import { fromFindings, fromSource, toOwner } from "./messages.ts";
import { readPolicyInForce } from "./policy-in-force.ts";

export async function handleTestPolicy(
  context: AdminContext,
  { owner, text }: TestPolicyRequest,
): Promise<DeepPartial<TestPolicyResponse>> {
  const owned = toOwner(owner);
  const inForce = await readPolicyInForce(context, owned);
  if (inForce === undefined) return { blocked: false };
  const texts = [{ role: "user", text }];
  const verdict = await context.judge(inForce.policy, { texts, side: "input", exhaustive: true }, owned);
  return {
    blocked: verdict.blocked,
    message: verdict.message ?? "",
    reason: verdict.reason ?? "",
    findings: fromFindings(verdict.findings),
    maskedText: verdict.maskedTexts?.[0],
    source: fromSource(inForce.source),
  };
}
