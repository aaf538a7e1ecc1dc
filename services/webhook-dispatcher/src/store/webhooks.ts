import { isSameStored, projectIsFull, resourceNotFound } from "@gatehouse/admin";
import type { AuditInitiator, ProjectReference } from "@gatehouse/audit";
import { lockRow, type PageRequest, type PageResult, readPage } from "@gatehouse/database";
import type { GatewayError } from "@gatehouse/errors";
import { type OutboxKernel, type Store, unchanged } from "@gatehouse/service";
import type { SecretSource, SigningSecrets } from "../domain/signing-secret.ts";
import { type Webhook, webhooksPerProjectMax } from "../domain/webhook.ts";
import { secretRotated, webhookCreated, webhookDeleted, webhookUpdated } from "../events.ts";
import { type Prisma, PrismaClient } from "../generated/prisma/client.ts";
import { fromWebhookRow, toSecretColumns } from "./webhook-row.ts";

type Transaction = Prisma.TransactionClient;

/** No replica caches webhooks, so changes are not announced. */
export type WebhookStore = Store<PrismaClient, Transaction, never>;

/** Opens the store, which the service closes. */
export function openWebhookStore(kernel: OutboxKernel): WebhookStore {
  return kernel.openStore<PrismaClient, Transaction, never>((adapter) => new PrismaClient({ adapter }), String);
}

interface NewWebhook {
  readonly project: ProjectReference;
  readonly name: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly initiator: AuditInitiator;
  /** Creates a sealed root key for a project without one. */
  readonly newRoot: () => string;
  /** Creates the webhook's first secret. */
  readonly newSecrets: (source: SecretSource) => SigningSecrets;
}

/** @throws GatewayError `not_found` for a deleted project, `invalid_argument` where it has too many webhooks */
export async function createWebhook(store: WebhookStore, given: NewWebhook): Promise<Webhook> {
  return await store.write(async (transaction) => {
    const { project, name, url, events, initiator } = given;
    const sealedRoot = await requireProject(transaction, given);
    const id = await nextId(transaction);
    const secrets = given.newSecrets({ projectUuid: project.uuid, sealedRoot, webhookId: id });
    const data = { id, projectUuid: project.uuid, name, url, events: [...events], ...toSecretColumns(secrets) };
    const webhook = fromWebhookRow(await transaction.webhook.create({ data }));
    return { result: webhook, changes: [], events: [webhookCreated({ initiator, project, webhook })] };
  });
}

async function requireProject(transaction: Transaction, { project, newRoot }: NewWebhook): Promise<string> {
  const { id, uuid, name } = project;
  await transaction.project.createMany({ data: { id, uuid, name, sealedRoot: newRoot() }, skipDuplicates: true });
  // Locked, so that the count stays true and the project is not deleted concurrently.
  const [row] = await transaction.$queryRaw<{ sealed_root: string; deleted: boolean; webhooks: number }[]>`
    SELECT sealed_root, deleted_at IS NOT NULL AS deleted,
      (SELECT count(*)::int FROM webhooks WHERE project_uuid = p.uuid AND deleted_at IS NULL) AS webhooks
    FROM projects p WHERE uuid = ${uuid}::uuid FOR UPDATE`;
  if (row === undefined || row.deleted) throw resourceNotFound("Project", uuid);
  if (row.webhooks >= webhooksPerProjectMax) throw projectIsFull("webhooks", webhooksPerProjectMax);
  return row.sealed_root;
}

/** Checks that one more webhook may be created beside existing and planned ones. @throws as {@link createWebhook} */
export async function requireRoom(store: WebhookStore, projectUuid: string, planned: number): Promise<void> {
  const present = await store.read(async ({ webhook }) => await webhook.count({ where: { projectUuid, ...visible } }));
  if (present + planned >= webhooksPerProjectMax) throw projectIsFull("webhooks", webhooksPerProjectMax);
}

async function nextId(transaction: Transaction): Promise<number> {
  const [row] = await transaction.$queryRaw<{ id: number }[]>`SELECT nextval('webhooks_id_seq')::int AS id`;
  if (row === undefined) throw new Error("A sequence gave no number.");
  return row.id;
}

const visible = { deletedAt: null, project: { deletedAt: null } } as const;

/** Oldest first. */
export async function listWebhooks(
  store: WebhookStore,
  projectUuid: string,
  page: PageRequest,
): Promise<PageResult<Webhook>> {
  return await readPage(page, fromWebhookRow, async ({ after, ...query }) => {
    return await store.read(
      async (client) => await client.webhook.findMany({ where: { projectUuid, ...after, ...visible }, ...query }),
    );
  });
}

interface Found {
  readonly webhook: Webhook;
  readonly project: ProjectReference;
  readonly sealedRoot: string;
}

/** @throws GatewayError `not_found` */
async function requireWebhook(transaction: Transaction, id: number): Promise<Found> {
  await lockRow(transaction, "webhooks", { id });
  const row = await transaction.webhook.findFirst({ where: { id, ...visible }, include: { project: true } });
  if (row === null) throw webhookNotFound(id);
  const { id: projectId, uuid, name, sealedRoot } = row.project;
  return { webhook: fromWebhookRow(row), project: { id: projectId, uuid, name }, sealedRoot };
}

/** For webhooks that the caller may not see, too. */
export function webhookNotFound(id: number): GatewayError {
  return resourceNotFound("Webhook", id);
}

interface WebhookChanges {
  readonly name?: string;
  readonly url?: string;
  readonly events?: readonly string[];
}

/** A webhook to change, and the initiator. */
export interface Change {
  readonly id: number;
  readonly initiator: AuditInitiator;
}

/** Changes the given fields; records nothing where none differs. */
export async function updateWebhook(
  store: WebhookStore,
  { id, initiator }: Change,
  changes: WebhookChanges,
): Promise<Webhook> {
  return await store.write(async (transaction) => {
    const { webhook: before, project } = await requireWebhook(transaction, id);
    const changed = (["name", "url", "events"] as const).filter((field) => {
      return changes[field] !== undefined && !isSameStored(changes[field], before[field]);
    });
    if (changed.length === 0) return unchanged(before);
    const { events, ...texts } = changes;
    const data = { ...texts, ...(events === undefined ? {} : { events: [...events] }), updatedAt: new Date() };
    const webhook = fromWebhookRow(await transaction.webhook.update({ where: { id }, data }));
    return { result: webhook, changes: [], events: [webhookUpdated({ initiator, project, webhook }, changed)] };
  });
}

/** Idempotent; a repetition records nothing. */
export async function setWebhookActive(
  store: WebhookStore,
  { id, initiator }: Change,
  isActive: boolean,
): Promise<Webhook> {
  return await store.write(async (transaction) => {
    const { webhook: before, project } = await requireWebhook(transaction, id);
    if (before.isActive === isActive) return unchanged(before);
    // The database's clock, as for the events compared with it.
    await transaction.$executeRaw`
      UPDATE webhooks SET is_active = ${isActive}, updated_at = now(),
        active_since = CASE WHEN ${isActive} THEN now() ELSE active_since END
      WHERE id = ${id}`;
    const webhook = fromWebhookRow(await transaction.webhook.findUniqueOrThrow({ where: { id } }));
    return { result: webhook, changes: [], events: [webhookUpdated({ initiator, project, webhook }, ["is_active"])] };
  });
}

interface SecretChange {
  readonly secrets: SigningSecrets;
  /** For the audit event. */
  readonly overlapSeconds: number;
}

/** Replaces a webhook's secrets by the result of `change`. */
export async function changeSecrets(
  store: WebhookStore,
  { id, initiator }: Change,
  change: (secrets: SigningSecrets, source: SecretSource) => SecretChange,
): Promise<Webhook> {
  return await store.write(async (transaction) => {
    const { webhook: before, project, sealedRoot } = await requireWebhook(transaction, id);
    const source = { projectUuid: project.uuid, sealedRoot, webhookId: id };
    const { secrets, overlapSeconds } = change(before.secrets, source);
    const data = { ...toSecretColumns(secrets), updatedAt: new Date() };
    const webhook = fromWebhookRow(await transaction.webhook.update({ where: { id }, data }));
    return { result: webhook, changes: [], events: [secretRotated({ initiator, project, webhook }, overlapSeconds)] };
  });
}

/** Deletes a webhook logically; its row and deliveries are removed later, in batches. */
export async function deleteWebhook(store: WebhookStore, { id, initiator }: Change): Promise<Webhook> {
  return await store.write(async (transaction) => {
    const { webhook, project } = await requireWebhook(transaction, id);
    await transaction.webhook.update({ where: { id }, data: { deletedAt: new Date(), isActive: false } });
    return { result: webhook, changes: [], events: [webhookDeleted({ initiator, project, webhook })] };
  });
}

/** Deletes a project's webhooks logically; they are removed once their deliveries have been sent. Idempotent. */
export async function deleteProject(store: WebhookStore, projectUuid: string): Promise<void> {
  await store.write(async ({ project }) => {
    const where = { uuid: projectUuid, deletedAt: null };
    await project.updateMany({ where, data: { deletedAt: new Date() } });
    return unchanged(undefined);
  });
}
