import { GatewayError } from "@gatehouse/errors";
import type { GuardrailOwner } from "../clients/guardrail-admin.ts";
import type { Project } from "../domain/project.ts";
import { optional } from "../domain/arguments.ts";
import type { OperationContext } from "./operation.ts";
import { endpoint, project } from "./shared-arguments.ts";

/** Exactly one of the two is to be sent. */
export const guardrailOwnerArguments = { project: optional(project), endpoint: optional(endpoint) };

interface OwnerArguments {
  readonly project: string | undefined;
  readonly endpoint: string | undefined;
}

/** Whose policy a call means, and the project that it lies in. */
export interface ResolvedGuardrailOwner extends GuardrailOwner {
  readonly project: Project;
}

/** Whose policy a call means. @throws GatewayError for an unknown project or endpoint, or where not exactly one is named. */
export async function resolveGuardrailOwner(
  args: OwnerArguments,
  { projects, operations }: OperationContext,
): Promise<ResolvedGuardrailOwner> {
  if (args.project !== undefined && args.endpoint !== undefined) {
    throw new GatewayError("invalid_argument", "Send either project or endpoint, not both.");
  }
  if (args.project !== undefined) {
    const owning = await projects.get(args.project);
    return { projectUuid: owning.uuid, endpointUuid: "", project: owning };
  }
  if (args.endpoint === undefined) {
    throw new GatewayError("invalid_argument", "Missing required argument: project or endpoint");
  }
  const found = await operations.run("svc_get_endpoint", { endpoint: args.endpoint });
  const owning = await projects.get(String(found["project"]));
  return { projectUuid: owning.uuid, endpointUuid: String(found["uuid"]), project: owning };
}
