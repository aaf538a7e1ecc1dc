import { readOrigin } from "@gatehouse/audit";
import { GatewayError } from "@gatehouse/errors";
import type { SetPolicyRequest, SetPolicyResponse } from "@gatehouse/proto/guardrail";
import type { CallContext } from "@gatehouse/rpc";
import { invalidPolicy } from "../domain/policy/policy-document.ts";
import { checkFindable, checkStorable } from "../domain/storable-policy.ts";
import { savePolicy } from "../store/policies.ts";
import type { AdminContext } from "./admin-context.ts";
import { describePolicy } from "./get-policy.ts";
import { toOwner } from "./messages.ts";

/** Answers with what is in force from now on. @throws GatewayError `invalid_argument` naming the field and, in lists, the position. */
export async function handleSetPolicy(
  context: AdminContext,
  request: SetPolicyRequest,
  { metadata }: CallContext,
): Promise<SetPolicyResponse> {
  const owner = toOwner(request.owner);
  const compiled = await context.compile(parseDocument(request.documentJson));
  const { document } = compiled;
  if (document.replace && owner.endpointUuid === undefined) {
    throw invalidPolicy("replace", "is for an endpoint's policy; a project's has none above it. Leave it out.");
  }
  checkStorable(document);
  checkFindable(compiled);
  await savePolicy(context.transact, { owner, origin: readOrigin(metadata) }, document);
  return { policy: await describePolicy(context, owner) };
}

function parseDocument(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (err) {
    if (!(err instanceof SyntaxError)) throw err;
    throw new GatewayError("invalid_argument", "The policy is not valid JSON.");
  }
}
