import type { GetPolicyRequest, GetPolicyResponse, Policy } from "@gatehouse/proto/guardrail";
import type { PolicyOwner } from "../domain/policy-owner.ts";
import type { AdminContext } from "./admin-context.ts";
import { fromDocument, fromSource, toOwner } from "./messages.ts";
import { readPolicyInForce } from "./policy-in-force.ts";

export async function handleGetPolicy(context: AdminContext, { owner }: GetPolicyRequest): Promise<GetPolicyResponse> {
  return { policy: await describePolicy(context, toOwner(owner)) };
}

/** What is in force; where there is no policy, a document with every check off. */
export async function describePolicy(context: AdminContext, owner: PolicyOwner): Promise<Policy> {
  const inForce = await readPolicyInForce(context, owner);
  if (inForce === undefined) {
    const { document } = await context.compile({});
    return { documentJson: fromDocument(document), source: fromSource(undefined) };
  }
  const { policy, source, updatedAt, own } = inForce;
  return {
    documentJson: fromDocument(policy.document),
    source: fromSource(source),
    updatedAt,
    ownDocumentJson: own && JSON.stringify(own.document),
  };
}
