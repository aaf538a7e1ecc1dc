import type { DeepPartial, TestPolicyRequest, TestPolicyResponse } from "@gatehouse/proto/guardrail";
import { inspect } from "../domain/policy/inspect.ts";
import type { AdminContext } from "./admin-context.ts";
import { fromFindings, fromSource, toOwner } from "./messages.ts";
import { readPolicyInForce } from "./policy-in-force.ts";

export async function handleTestPolicy(
  context: AdminContext,
  { owner, text }: TestPolicyRequest,
): Promise<DeepPartial<TestPolicyResponse>> {
  const inForce = await readPolicyInForce(context, toOwner(owner));
  if (inForce === undefined) return { blocked: false };
  const verdict = inspect(inForce.policy, { texts: [{ role: "user", text }], side: "input", exhaustive: true });
  return {
    blocked: verdict.blocked,
    message: verdict.message ?? "",
    reason: verdict.reason ?? "",
    findings: fromFindings(verdict.findings),
    maskedText: verdict.maskedTexts?.[0],
    source: fromSource(inForce.source),
  };
}
