import { type Database, reading, type Transactor } from "@gatehouse/database";
import type { PolicyDocument } from "../domain/policy/policy-document.ts";
import { type PolicyOwner, ownerUuidOf, type SavedPolicy } from "../domain/policy-owner.ts";
import type { Prisma } from "../generated/prisma/client.ts";

/** The uuid of the owner whose policy has changed. */
export type PolicyChange = string;

export type PolicyTransactor = Transactor<Prisma.TransactionClient, PolicyChange>;

/** Reads one policy by a prepared statement: calls wait for it when it is not in memory. */
export async function readPolicy({ pool }: Database, ownerUuid: string): Promise<SavedPolicy | undefined> {
  const { rows } = await reading(async () => {
    return await pool.query<{ document: unknown; updated_at: Date }>({
      name: "policy-by-owner",
      text: "SELECT document, updated_at FROM policies WHERE owner_uuid = $1",
      values: [ownerUuid],
    });
  });
  const [row] = rows;
  return row && { document: row.document, updatedAt: row.updated_at };
}

/** Puts a policy in the place of what the owner had. */
export async function savePolicy(
  transact: PolicyTransactor,
  owner: PolicyOwner,
  document: PolicyDocument,
): Promise<SavedPolicy> {
  const ownerUuid = ownerUuidOf(owner);
  return await transact(async (transaction, announce) => {
    const values = { projectUuid: owner.projectUuid, document: document as unknown as Prisma.InputJsonValue };
    const row = await transaction.policy.upsert({
      where: { ownerUuid },
      create: { ownerUuid, ...values },
      update: values,
    });
    await announce(ownerUuid);
    return { document: row.document, updatedAt: row.updatedAt };
  });
}

/** Removes the policy of a project or an endpoint; none is fine. */
export async function clearPolicy(transact: PolicyTransactor, ownerUuid: string): Promise<void> {
  await transact(async (transaction, announce) => {
    const { count } = await transaction.policy.deleteMany({ where: { ownerUuid } });
    if (count > 0) await announce(ownerUuid);
  });
}

/** Removes the policies of a project and of its endpoints; none is fine. */
export async function deleteProject(transact: PolicyTransactor, projectUuid: string): Promise<void> {
  await transact(async (transaction, announce) => {
    const rows = await transaction.policy.findMany({ where: { projectUuid }, select: { ownerUuid: true } });
    await transaction.policy.deleteMany({ where: { projectUuid } });
    for (const { ownerUuid } of rows) await announce(ownerUuid);
  });
}
