import { readOrigin } from "@gatehouse/audit";
import { GatewayError } from "@gatehouse/errors";
import type { SetPolicyRequest, SetPolicyResponse } from "@gatehouse/proto/guardrail";
import type { CallContext } from "@gatehouse/rpc";
import { checkFindable, checkStorable } from "../domain/storable-policy.ts";
import { savePolicy } from "../store/policies.ts";
import type { AdminContext } from "./admin-context.ts";
import { fromPolicy, toOwner } from "./messages.ts";

/** @throws GatewayError `invalid_argument` naming the field and, in lists, the position. */
export async function handleSetPolicy(
  { transact, compile }: AdminContext,
  request: SetPolicyRequest,
  { metadata }: CallContext,
): Promise<SetPolicyResponse> {
  const owner = toOwner(request.owner);
  const compiled = compile(parseDocument(request.documentJson));
  const { document } = compiled;
  checkStorable(document);
  checkFindable(compiled);
  const saved = await savePolicy(transact, { owner, origin: readOrigin(metadata) }, document);
  return { policy: fromPolicy(saved, owner.endpointUuid === undefined ? "project" : "endpoint") };
}

function parseDocument(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (err) {
    if (!(err instanceof SyntaxError)) throw err;
    throw new GatewayError("invalid_argument", "The policy is not valid JSON.");
  }
}
