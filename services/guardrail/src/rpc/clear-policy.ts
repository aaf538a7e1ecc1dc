import { readOrigin } from "@gatehouse/audit";
import type { ClearPolicyRequest, ClearPolicyResponse } from "@gatehouse/proto/guardrail";
import type { CallContext } from "@gatehouse/rpc";
import { clearPolicy } from "../store/policies.ts";
import type { AdminContext } from "./admin-context.ts";
import { describePolicy } from "./get-policy.ts";
import { toOwner } from "./messages.ts";

export async function handleClearPolicy(
  context: AdminContext,
  request: ClearPolicyRequest,
  { metadata }: CallContext,
): Promise<ClearPolicyResponse> {
  const owner = toOwner(request.owner);
  await clearPolicy(context.transact, { owner, origin: readOrigin(metadata) });
  return { policy: await describePolicy(context, owner) };
}
