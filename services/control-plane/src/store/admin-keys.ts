import { isRowId } from "@gatehouse/admin";
import type { AuditInitiator } from "@gatehouse/audit";
import { type PageRequest, type PageResult, readPage, violatedIndex } from "@gatehouse/database";
import { unchanged } from "@gatehouse/service";
import {
  type AdminKey,
  type AdminKeySettings,
  adminKeyNameTaken,
  adminKeyNotFound,
  environmentKeyRefused,
  findKeyRotationProblem,
  isLastingOwner,
  lastOwnerRefused,
  sourceOf,
} from "../domain/admin-key.ts";
import { nameSkeleton } from "../domain/name-skeleton.ts";
import { projectNotFound } from "../domain/project.ts";
import { adminKeyCreated, adminKeyRevoked, adminKeyRotated } from "../events.ts";
import type { AdminKey as Row } from "../generated/prisma/client.ts";
import { toAdministrator } from "./administrator.ts";
import { endSessionsOf } from "./console-sessions.ts";
import { lockAdminKeys, type PrincipalStore, type Transaction } from "./principal-store.ts";
import { lastingOwner } from "./reconcile-admin-keys.ts";

interface NewAdminKey {
  readonly settings: AdminKeySettings;
  /** SHA-256 of the plaintext. */
  readonly hash: Buffer;
}

/** Admin keys by id; methods throw `Admin key not found: <id>` for an unknown one. `initiator` is the author of a change. */
export interface AdminKeyStore {
  /** @throws GatewayError for a name that was used before, or a missing project */
  create(key: NewAdminKey, initiator: AuditInitiator): Promise<AdminKey>;
  list(page: PageRequest): Promise<PageResult<AdminKey>>;
  /** Replaces the plaintext's hash, and ends the key's console sessions: from the commit on, the old plaintext is unknown. */
  rotate(
    id: number,
    rotation: { readonly hash: Buffer; readonly now: Date },
    initiator: AuditInitiator,
  ): Promise<AdminKey>;
  /** Idempotent. Ends the key's console sessions. Refuses the environment's key, and the last lasting owner. */
  revoke(id: number, initiator: AuditInitiator): Promise<AdminKey>;
}

/** Store of admin keys, of whose plaintexts only hashes are kept. The last owner's cannot be revoked. */
export function createAdminKeyStore(store: PrincipalStore): AdminKeyStore {
  return {
    create: async (key, initiator) =>
      await store
        .write(async (tx) => {
          await requireProjects(tx, key.settings.projects ?? []);
          await refuseLikeName(tx, key.settings.name);
          const created = await insert(tx, key);
          return { result: created, changes: [], events: [adminKeyCreated(created, initiator)] };
        })
        .catch((err: unknown) => {
          throw violatedIndex(err) === undefined ? err : adminKeyNameTaken(key.settings.name);
        }),
    async list(page) {
      return await readPage(page, toAdminKey, async ({ after, ...query }) => {
        const where = { keyHash: { not: null }, ...after };
        return await store.read(async (client) => await client.adminKey.findMany({ where, ...query }));
      });
    },
    rotate: async (id, { hash, now }, initiator) =>
      await store.write(async (tx) => {
        const key = await lock(tx, id);
        const problem = findKeyRotationProblem(key, now);
        if (problem !== undefined) throw problem;
        const row = await tx.adminKey.update({ where: { id }, data: { keyHash: new Uint8Array(hash) } });
        await endSessionsOf(tx, id);
        const changes = [{ kind: "admin_key", adminKeyId: id }] as const;
        return { result: toAdminKey(row), changes, events: [adminKeyRotated(row, initiator)] };
      }),
    revoke: async (id, initiator) =>
      await store.write(async (tx) => {
        const key = await lock(tx, id);
        if (key.source === "environment") throw environmentKeyRefused(id);
        if (!key.isActive) return unchanged(key);
        await refuseLastOwner(tx, key);
        const row = await tx.adminKey.update({ where: { id }, data: { isActive: false } });
        await endSessionsOf(tx, id);
        const changes = [{ kind: "admin_key", adminKeyId: id }] as const;
        return { result: toAdminKey(row), changes, events: [adminKeyRevoked(row, initiator)] };
      }),
  };
}

async function requireProjects(tx: Transaction, uuids: readonly string[]): Promise<void> {
  const found = await tx.project.findMany({ where: { uuid: { in: [...uuids] } }, select: { uuid: true } });
  const missing = uuids.find((uuid) => !found.some((project) => project.uuid === uuid));
  if (missing !== undefined) throw projectNotFound(missing);
}

/** Serialised, so that two alike names cannot be created at once. */
async function refuseLikeName(tx: Transaction, name: string): Promise<void> {
  await lockAdminKeys(tx);
  const skeleton = nameSkeleton(name);
  const keys = await tx.adminKey.findMany({ where: { keyHash: { not: null } }, select: { name: true } });
  const alike = keys.find((key) => nameSkeleton(key.name) === skeleton);
  if (alike !== undefined) throw adminKeyNameTaken(alike.name);
}

async function insert(tx: Transaction, { settings, hash }: NewAdminKey): Promise<AdminKey> {
  const { projects, ...columns } = settings;
  const reach = { gatewayWide: projects === null, projectUuids: [...(projects ?? [])] };
  const data = { ...columns, ...reach, keyHash: new Uint8Array(hash) };
  return toAdminKey(await tx.adminKey.create({ data }));
}

/** Serialises changes of administrators, so that two of them cannot each remove what the other leaves. */
async function lock(tx: Transaction, id: number): Promise<AdminKey> {
  if (!isRowId(id)) throw adminKeyNotFound(id);
  await lockAdminKeys(tx);
  const row = await tx.adminKey.findUnique({ where: { id, keyHash: { not: null } } });
  if (row === null) throw adminKeyNotFound(id);
  return toAdminKey(row);
}

async function refuseLastOwner(tx: Transaction, key: AdminKey): Promise<void> {
  if (!isLastingOwner(key)) return;
  const where = { ...lastingOwner, id: { not: key.id } };
  if ((await tx.adminKey.count({ where })) === 0) throw lastOwnerRefused(key.id);
}

function toAdminKey(row: Row): AdminKey {
  const { isActive, createdAt, lastUsedAt } = row;
  return { ...toAdministrator(row), source: sourceOf(row.name), isActive, createdAt, lastUsedAt };
}
