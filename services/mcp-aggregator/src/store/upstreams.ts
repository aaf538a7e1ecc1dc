import { randomUUID } from "node:crypto";
import { projectIsFull, refuseKeptSecrets, resourceNotFound } from "@gatehouse/admin";
import type { AuditInitiator, ProjectReference } from "@gatehouse/audit";
import { lockRow, takeTurns, violatedIndex } from "@gatehouse/database";
import { GatewayError } from "@gatehouse/errors";
import type { JsonObject } from "@gatehouse/json-rpc";
import { unchanged } from "@gatehouse/service";
import type { Keyring, Secret } from "@gatehouse/vault";
import { changedSettings, changeSettings } from "../domain/upstream-settings.ts";
import type { Upstream } from "../domain/upstream.ts";
import { upstreamCreated, upstreamDeleted, upstreamUpdated } from "../events.ts";
import type { Prisma } from "../generated/prisma/client.ts";
import { type ApprovalChoice, approveTools } from "./catalogues.ts";
import { sealToken, toUpstream } from "./upstream-record.ts";
import type { UpstreamReader, UpstreamStore, UpstreamTransaction } from "./upstream-store.ts";

/** Store with the keyring that seals bearer tokens; made once, for all changes of upstreams. */
export interface UpstreamWriter {
  readonly store: UpstreamStore;
  readonly keyring: Keyring;
}

/** Upstreams per project; each is part of every list of tools. */
const upstreamsMax = 200;

interface NewUpstream {
  readonly projectUuid: string;
  readonly prefix: string;
  readonly url: string;
  readonly bearerToken: Secret | undefined;
  /** See {@link changeSettings}. */
  readonly settings: JsonObject;
}

/** @throws GatewayError `already_exists` for a prefix that the project has; `invalid_argument` over the bound */
export async function createUpstream(
  { store, keyring }: UpstreamWriter,
  initiator: AuditInitiator,
  { projectUuid, prefix, url, bearerToken, settings }: NewUpstream,
): Promise<Upstream> {
  const document = changeSettings({}, settings);
  const uuid = randomUUID();
  return await withPrefix(prefix, async () => {
    return await store.write(async (transaction) => {
      // Serialised, so that two creations cannot both take the last place.
      await takeTurns(transaction, `upstreams of ${projectUuid}`);
      await checkRoom(transaction, projectUuid);
      const row = await transaction.upstream.create({
        data: {
          uuid,
          projectUuid,
          projectId: initiator.project?.id ?? null,
          projectName: initiator.project?.name ?? null,
          prefix,
          url,
          sealedBearerToken: bearerToken === undefined ? null : sealToken(keyring, bearerToken, uuid),
          settings: document as Prisma.InputJsonObject,
        },
      });
      const upstream = toUpstream(row);
      return { result: upstream, changes: [projectUuid], events: [upstreamCreated(initiator, upstream)] };
    });
  });
}

/** Undefined members stay unchanged. */
interface UpstreamUpdate {
  readonly prefix?: string | undefined;
  readonly url?: string | undefined;
  /** Null removes the token. */
  readonly bearerToken?: Secret | null | undefined;
  readonly isActive?: boolean | undefined;
  readonly settings?: JsonObject | undefined;
}

/** A stored token stays with its host. @throws GatewayError `invalid_argument` */
export function checkAddress(
  { url, hasBearerToken }: Pick<Upstream, "url" | "hasBearerToken">,
  { url: to, bearerToken }: Pick<UpstreamUpdate, "url" | "bearerToken">,
): void {
  const kept = hasBearerToken && bearerToken === undefined ? ["bearer_token"] : [];
  refuseKeptSecrets({ argument: "url", from: url, to, kept });
}

/** @throws GatewayError `not_found`, and as {@link createUpstream} and {@link checkAddress} */
export async function updateUpstream(
  { store, keyring }: UpstreamWriter,
  initiator: AuditInitiator,
  { id, update }: { readonly id: number; readonly update: UpstreamUpdate },
): Promise<Upstream> {
  return await withPrefix(update.prefix ?? "", async () => {
    return await store.write(async (transaction) => {
      const known = await lockUpstream(transaction, id);
      checkAddress({ url: known.url, hasBearerToken: known.sealedBearerToken !== null }, update);
      const changed = changedBy(known, update);
      if (changed.length === 0) return unchanged(toUpstream(known));
      const row = await transaction.upstream.update({ where: { id }, data: toData(keyring, known, update) });
      // Another address may have other tools, so approvals are dropped.
      if (update.url !== undefined && update.url !== known.url) await forgetTools(transaction, id);
      const upstream = toUpstream(row);
      const events = [upstreamUpdated(withProject(initiator, row), upstream, changed)];
      return { result: upstream, changes: [row.projectUuid], events };
    });
  });
}

/** @throws GatewayError `not_found` */
export async function deleteUpstream(
  { store }: UpstreamWriter,
  initiator: AuditInitiator,
  id: number,
): Promise<Upstream> {
  return await store.write(async (transaction) => {
    const known = await lockUpstream(transaction, id);
    await transaction.upstream.delete({ where: { id } });
    const upstream = toUpstream(known);
    const events = [upstreamDeleted(withProject(initiator, known), upstream)];
    return { result: upstream, changes: [known.projectUuid], events };
  });
}

/** Approves changed definitions of an upstream's tools. @throws GatewayError `not_found`, and as `approveTools` */
export async function approveUpstreamTools(
  { store }: UpstreamWriter,
  initiator: AuditInitiator,
  { id, choice }: { readonly id: number; readonly choice: ApprovalChoice },
): Promise<{ readonly upstream: Upstream; readonly approved: readonly string[] }> {
  return await store.write(async (transaction) => {
    const known = await lockUpstream(transaction, id);
    const approved = await approveTools(transaction, id, choice);
    if (approved.length === 0) return unchanged({ upstream: toUpstream(known), approved });
    const row = await transaction.upstream.update({ where: { id }, data: { revision: { increment: 1 } } });
    const upstream = toUpstream(row);
    const events = [upstreamUpdated(withProject(initiator, row), upstream, ["approved_tools"])];
    return { result: { upstream, approved }, changes: [row.projectUuid], events };
  });
}

/** Deletes a project's upstreams, without events besides the project's. Idempotent. */
export async function deleteProject({ store }: UpstreamWriter, projectUuid: string): Promise<void> {
  await store.write(async (transaction) => {
    const { count } = await transaction.upstream.deleteMany({ where: { projectUuid } });
    return { result: undefined, changes: count > 0 ? [projectUuid] : [], events: [] };
  });
}

/** @throws GatewayError `not_found` */
async function lockUpstream(transaction: UpstreamTransaction, id: number) {
  await lockRow(transaction, "upstreams", { id });
  const known = await transaction.upstream.findUnique({ where: { id } });
  if (known === null) throw upstreamNotFound(id);
  return known;
}

/** For upstreams that the caller may not see, too. */
export function upstreamNotFound(id: number): GatewayError {
  return resourceNotFound("Upstream", id);
}

/** Adds the registered project, since a change names only the upstream's id. */
function withProject(initiator: AuditInitiator, row: ProjectColumns): AuditInitiator {
  return { ...initiator, project: initiator.project ?? projectOf(row) };
}

interface ProjectColumns {
  readonly projectUuid: string;
  readonly projectId: number | null;
  readonly projectName: string | null;
}

/** Null where the upstream was registered without an owner. */
export function projectOf({ projectUuid, projectId, projectName }: ProjectColumns): ProjectReference | null {
  return projectId === null || projectName === null ? null : { id: projectId, uuid: projectUuid, name: projectName };
}

type KnownUpstream = Awaited<ReturnType<typeof lockUpstream>>;

/**
 * Names of the arguments whose values differ. A given token always counts as different, since it is sealed under the present key.
 */
function changedBy(known: KnownUpstream, { prefix, url, bearerToken, isActive, settings }: UpstreamUpdate): string[] {
  const isOther = {
    prefix: prefix !== undefined && prefix !== known.prefix,
    url: url !== undefined && url !== known.url,
    bearer_token: bearerToken === null ? known.sealedBearerToken !== null : bearerToken !== undefined,
    is_active: isActive !== undefined && isActive !== known.isActive,
  };
  const changed = Object.entries(isOther).flatMap(([name, is]) => (is ? [name] : []));
  return [...changed, ...changedSettings(known.settings, settings ?? {})];
}

function toData(
  keyring: Keyring,
  known: KnownUpstream,
  { prefix, url, bearerToken, isActive, settings }: UpstreamUpdate,
): Prisma.UpstreamUpdateInput {
  return {
    revision: { increment: 1 },
    ...(prefix === undefined ? {} : { prefix }),
    ...(url === undefined ? {} : { url }),
    ...(isActive === undefined ? {} : { isActive }),
    ...(bearerToken === undefined
      ? {}
      : { sealedBearerToken: bearerToken === null ? null : sealToken(keyring, bearerToken, known.uuid) }),
    ...(settings === undefined ? {} : { settings: changeSettings(known.settings, settings) as Prisma.InputJsonObject }),
  };
}

async function forgetTools(transaction: UpstreamTransaction, upstreamId: number): Promise<void> {
  await transaction.catalogue.deleteMany({ where: { upstreamId } });
  await transaction.toolPin.deleteMany({ where: { upstreamId } });
}

interface WantedPlace {
  readonly projectUuid: string;
  readonly prefix: string;
  /** Number of upstreams that the project will have in addition to its present ones. */
  readonly planned: number;
}

/** Checks that one more upstream may be created. @throws as {@link createUpstream} */
export async function requireRoom({ store }: UpstreamWriter, place: WantedPlace): Promise<void> {
  const { projectUuid, prefix, planned } = place;
  await store.read(async (client) => {
    const taken = await client.upstream.findFirst({ where: { projectUuid, prefix }, select: { id: true } });
    if (taken !== null) throw prefixTaken(prefix);
    await checkRoom(client, projectUuid, planned);
  });
}

async function checkRoom(reader: UpstreamReader, projectUuid: string, planned = 0): Promise<void> {
  if ((await reader.upstream.count({ where: { projectUuid } })) + planned < upstreamsMax) return;
  throw projectIsFull("upstreams", upstreamsMax);
}

async function withPrefix<T>(prefix: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (err) {
    if (violatedIndex(err) === undefined) throw err;
    throw prefixTaken(prefix);
  }
}

function prefixTaken(prefix: string): GatewayError {
  return new GatewayError("already_exists", `An upstream with the prefix '${prefix}' already exists in this project.`);
}
