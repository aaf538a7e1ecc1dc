import {
  exactlyOneOf,
  isUuid,
  object,
  type OperationCall,
  optional,
  project,
  reference,
  resourceNotFound,
  type Schema,
} from "@gatehouse/admin";
import type { PolicyOwner } from "../domain/policy-owner.ts";

const owner = {
  project: optional(project),
  endpoint: optional(reference("The endpoint's uuid. Send either this or project.")),
};

/** Arguments of an operation on the policy of a project or of an endpoint, exactly one of which is to be sent. */
export function withOwner<Members extends Readonly<Record<string, Schema>>>(members: Members) {
  return exactlyOneOf(object({ ...owner, ...members }), "project", "endpoint");
}

/** Endpoints are other services', which know their projects. */
export const subject = { argument: "endpoint", operation: "svc_get_endpoint" } as const;

type OwnerInput = { readonly project?: string; readonly endpoint?: string };

/** Owner named by arguments of {@link withOwner}. @throws GatewayError `not_found` for an endpoint without a project */
export function toOwner({ input, initiator }: Pick<OperationCall<OwnerInput>, "input" | "initiator">): PolicyOwner {
  const { project: projectUuid, endpoint = "" } = input;
  if (projectUuid !== undefined) return { projectUuid, endpointUuid: undefined };
  // The endpoint's project is the one that the control plane has found.
  if (!isUuid(endpoint) || initiator.project === null) throw resourceNotFound("Endpoint", endpoint);
  return { projectUuid: initiator.project.uuid, endpointUuid: endpoint.toLowerCase() };
}
