import { type PolicyOwner, type PolicySource, type SavedPolicy } from "../domain/policy-owner.ts";
import { readPolicy } from "../store/policies.ts";
import type { AdminContext } from "./admin-context.ts";

export interface SavedPolicyInForce {
  readonly saved: SavedPolicy;
  readonly source: PolicySource;
}

/** The endpoint's own policy, else its project's, as the database has them. */
export async function readPolicyInForce(
  { database }: AdminContext,
  { projectUuid, endpointUuid }: PolicyOwner,
): Promise<SavedPolicyInForce | undefined> {
  const own = endpointUuid === undefined ? undefined : await readPolicy(database, endpointUuid);
  if (own !== undefined) return { saved: own, source: "endpoint" };
  const saved = await readPolicy(database, projectUuid);
  return saved && { saved, source: "project" };
}
