import { isUuid, type OperationCall, optional, project, reference, resourceNotFound } from "@gatehouse/admin";
import { invalidArgument } from "@gatehouse/errors";
import type { PolicyOwner } from "../domain/policy-owner.ts";

/** Exactly one of the two is to be sent. */
export const owner = { project: optional(project), endpoint: optional(reference("The endpoint's uuid.")) };

/** Endpoints are other services', which know their projects. */
export const subject = { argument: "endpoint", operation: "svc_get_endpoint" } as const;

/** @throws GatewayError where not exactly one of project and endpoint is named, or it is unknown. */
export function toOwner({
  input,
  initiator,
}: OperationCall<{ readonly project?: string; readonly endpoint?: string }>): PolicyOwner {
  const { project: projectUuid, endpoint } = input;
  if (projectUuid !== undefined && endpoint !== undefined)
    throw invalidArgument("Send either project or endpoint, not both.");
  if (projectUuid !== undefined) return { projectUuid, endpointUuid: undefined };
  if (endpoint === undefined) throw invalidArgument("Missing required argument: project or endpoint");
  // The endpoint's project is the one that the control plane has found.
  if (!isUuid(endpoint) || initiator.project === null) throw resourceNotFound("Endpoint", endpoint);
  return { projectUuid: initiator.project.uuid, endpointUuid: endpoint.toLowerCase() };
}
