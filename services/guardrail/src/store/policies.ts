import { isDeepStrictEqual } from "node:util";
import type { AuditInitiator } from "@gatehouse/audit";
import { type Database, reading } from "@gatehouse/database";
import type { GatewayError } from "@gatehouse/errors";
import { type OutboxKernel, type Store, unchanged } from "@gatehouse/service";
import { type PolicyOwner, ownerUuidOf, type SavedPolicy } from "../domain/policy-owner.ts";
import { invalidPolicy, type PolicyDocument } from "../domain/policy/policy-document.ts";
import { guardrailUpdated } from "../events.ts";
import { type Prisma, PrismaClient } from "../generated/prisma/client.ts";
import type { NewExternalSecret } from "./external-secrets.ts";

/** The uuid of the owner whose policy has changed. */
type PolicyChange = string;

/** Policies and findings; a change announces the uuid of the policy's owner. */
export type PolicyStore = Store<PrismaClient, Prisma.TransactionClient, PolicyChange>;

/** Opens the store whose changes every replica hears of. */
export function openPolicyStore(kernel: OutboxKernel): PolicyStore {
  return kernel.openStore(
    (adapter) => new PrismaClient({ adapter }),
    (ownerUuid) => ownerUuid,
  );
}

/** Whether any owner has a policy. */
export async function hasPolicies({ pool }: Database): Promise<boolean> {
  const { rows } = await reading(async () => await pool.query("SELECT FROM policies LIMIT 1"));
  return rows.length > 0;
}

/** Reads one policy by its owner's uuid. */
export async function readPolicy(database: Database, ownerUuid: string): Promise<SavedPolicy | undefined> {
  const [policy] = await readPolicies(database, [ownerUuid]);
  return policy;
}

/** Reads policies by a prepared statement, each at its owner's place: calls wait for it when they are not in memory. */
export async function readPolicies(
  { pool }: Database,
  ownerUuids: readonly string[],
): Promise<readonly (SavedPolicy | undefined)[]> {
  const { rows } = await reading(async () => {
    return await pool.query<{ owner_uuid: string; document: unknown; updated_at: Date }>({
      name: "policies-by-owner",
      text: "SELECT owner_uuid, document, updated_at FROM policies WHERE owner_uuid = ANY($1::uuid[])",
      values: [ownerUuids],
    });
  });
  const byOwner = new Map(rows.map((row) => [row.owner_uuid, { document: row.document, updatedAt: row.updated_at }]));
  return ownerUuids.map((ownerUuid) => byOwner.get(ownerUuid.toLowerCase()));
}

/** Owner of the policy that is changed, and the initiator of the change. */
interface PolicySubject {
  readonly owner: PolicyOwner;
  readonly initiator: AuditInitiator;
}

/** A policy to be saved, and the secrets that are new with it. */
interface NewPolicy {
  readonly document: PolicyDocument;
  readonly secrets: readonly NewExternalSecret[];
}

/**
 * Puts a policy in the place of what the owner had, with its secrets. The same policy again changes, announces and records nothing.
 * @throws GatewayError `invalid_argument` where a secret that it keeps was removed by another change meanwhile
 */
export async function savePolicy(
  store: PolicyStore,
  { owner, initiator }: PolicySubject,
  { document, secrets }: NewPolicy,
): Promise<SavedPolicy> {
  const ownerUuid = ownerUuidOf(owner);
  return await store.write(async ({ policy, externalSecret }) => {
    const present = await policy.findUnique({ where: { ownerUuid } });
    if (present !== null && isSameDocument(present.document, document)) return unchanged(present);
    const values = { projectUuid: owner.projectUuid, document: document as unknown as Prisma.InputJsonValue };
    const row = await policy.upsert({ where: { ownerUuid }, create: { ownerUuid, ...values }, update: values });
    const kept = document.external.flatMap(({ secret_id: uuid }) => uuid ?? []);
    // The row of the policy is ours now: a save that came before has ended, and may have removed a secret that this one keeps.
    const older = kept.filter((uuid) => !secrets.some((secret) => secret.uuid === uuid));
    const left = await externalSecret.count({ where: { ownerUuid, uuid: { in: older } } });
    if (left < older.length) throw removedMeanwhile();
    await externalSecret.deleteMany({ where: { ownerUuid, uuid: { notIn: kept } } });
    const { projectUuid } = owner;
    await externalSecret.createMany({ data: secrets.map((secret) => ({ ...secret, ownerUuid, projectUuid })) });
    const result = { document: row.document, updatedAt: row.updatedAt };
    return { result, changes: [ownerUuid], events: [guardrailUpdated(initiator, owner, "set")] };
  });
}

function removedMeanwhile(): GatewayError {
  return invalidPolicy(
    "external",
    "keeps a secret that another change has just removed. Send the secret, or save again.",
  );
}

/** Compares what would be stored: an absent field and one that is undefined are the same. */
function isSameDocument(present: unknown, wanted: PolicyDocument): boolean {
  return isDeepStrictEqual(present, JSON.parse(JSON.stringify(wanted)));
}

/** Removes the policy of a project or an endpoint; none is fine, and is not recorded. */
export async function clearPolicy(store: PolicyStore, { owner, initiator }: PolicySubject): Promise<void> {
  const ownerUuid = ownerUuidOf(owner);
  await store.write(async ({ policy, externalSecret }) => {
    const { count } = await policy.deleteMany({ where: { ownerUuid } });
    await externalSecret.deleteMany({ where: { ownerUuid } });
    if (count === 0) return unchanged(undefined);
    return { result: undefined, changes: [ownerUuid], events: [guardrailUpdated(initiator, owner, "removed")] };
  });
}

/** Removes the policy of an endpoint that is deleted, which is the event, and what was recorded there; none is fine. */
export async function deleteEndpoint(store: PolicyStore, endpointUuid: string): Promise<void> {
  await store.write(async ({ policy, externalSecret, finding, feedback, comparison }) => {
    await finding.deleteMany({ where: { endpointUuid } });
    await feedback.deleteMany({ where: { endpointUuid } });
    await comparison.deleteMany({ where: { placeUuid: endpointUuid } });
    const { count } = await policy.deleteMany({ where: { ownerUuid: endpointUuid } });
    await externalSecret.deleteMany({ where: { ownerUuid: endpointUuid } });
    return { result: undefined, changes: count > 0 ? [endpointUuid] : [], events: [] };
  });
}

/** Removes the policies of a project that is deleted, and of its endpoints; none is fine. */
export async function deleteProject(store: PolicyStore, projectUuid: string): Promise<void> {
  await store.write(async ({ policy, externalSecret, finding, feedback, comparison }) => {
    await externalSecret.deleteMany({ where: { projectUuid } });
    await finding.deleteMany({ where: { projectUuid } });
    await feedback.deleteMany({ where: { projectUuid } });
    await comparison.deleteMany({ where: { projectUuid } });
    const rows = await policy.findMany({ where: { projectUuid }, select: { ownerUuid: true } });
    await policy.deleteMany({ where: { projectUuid } });
    return { result: undefined, changes: rows.map(({ ownerUuid }) => ownerUuid), events: [] };
  });
}
