import type { PolicyOwner, PolicySource } from "../domain/policy-owner.ts";
import type { CompiledPolicy } from "../domain/policy/compile-policy.ts";
import { droppedChecks } from "../domain/policy/dropped-checks.ts";
import { readPolicies } from "../store/policies.ts";
import type { AdminContext } from "./admin-context.ts";

interface SavedPolicyInForce {
  readonly policy: CompiledPolicy;
  readonly source: PolicySource;
  /** The later of the policies it is made of. */
  readonly updatedAt: Date;
  /** The owner's own, where it has one. */
  readonly own: CompiledPolicy | undefined;
  /** Checks of the project's that an endpoint's policy has put out of force. */
  readonly dropped?: readonly string[];
}

/**
 * The policy of the data plane, as the database has it: an endpoint's policy adds to its project's unless it replaces it.
 */
export async function readPolicyInForce(
  { database, compile, combine }: AdminContext,
  { projectUuid, endpointUuid }: PolicyOwner,
): Promise<SavedPolicyInForce | undefined> {
  const [ofProject, ofEndpoint] = await readPolicies(database, [projectUuid, ...(endpointUuid ? [endpointUuid] : [])]);
  const project = ofProject && (await compile(ofProject.document));
  if (ofEndpoint === undefined) {
    if (ofProject === undefined || project === undefined) return undefined;
    const own = endpointUuid === undefined ? project : undefined;
    return { policy: project, source: "project", updatedAt: ofProject.updatedAt, own };
  }
  const own = await compile(ofEndpoint.document);
  const { updatedAt } = ofEndpoint;
  if (ofProject === undefined || project === undefined) return { policy: own, source: "endpoint", updatedAt, own };
  if (own.document.replace) {
    const dropped = droppedChecks(project.document, own.document);
    return { policy: own, source: "endpoint", updatedAt, own, dropped };
  }
  const latest = ofProject.updatedAt > updatedAt ? ofProject.updatedAt : updatedAt;
  return { policy: await combine(project, own), source: "both", updatedAt: latest, own };
}
