import type { ClearPolicyRequest, ClearPolicyResponse } from "@gatehouse/proto/guardrail";
import { ownerUuidOf } from "../domain/policy-owner.ts";
import { clearPolicy } from "../store/policies.ts";
import type { AdminContext } from "./admin-context.ts";
import { describePolicy } from "./get-policy.ts";
import { toOwner } from "./messages.ts";

export async function handleClearPolicy(
  context: AdminContext,
  request: ClearPolicyRequest,
): Promise<ClearPolicyResponse> {
  const owner = toOwner(request.owner);
  await clearPolicy(context.transact, ownerUuidOf(owner));
  return { policy: await describePolicy(context, owner) };
}
