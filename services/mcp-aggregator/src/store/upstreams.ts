import { randomUUID } from "node:crypto";
import { type AuditOrigin, type ProjectReference, recordEvent } from "@gatehouse/audit";
import { violatedIndex } from "@gatehouse/database";
import { GatewayError } from "@gatehouse/errors";
import type { JsonObject } from "@gatehouse/json-rpc";
import type { Keyring, Secret } from "@gatehouse/vault";
import type { Upstream } from "../domain/upstream.ts";
import { changeSettings } from "../domain/upstream-settings.ts";
import { upstreamCreated, upstreamDeleted, upstreamUpdated } from "../events.ts";
import type { Prisma } from "../generated/prisma/client.ts";
import type { UpstreamTransaction, UpstreamTransactor } from "./aggregator-store.ts";
import { sealToken, toUpstream } from "./upstream-record.ts";

/** What changes of upstreams work with. */
export interface UpstreamWriter {
  readonly transact: UpstreamTransactor;
  readonly keyring: Keyring;
}

/** Registered in one project; each has its place in every list of tools. */
export const upstreamsMax = 200;

export interface NewUpstream {
  readonly projectUuid: string;
  readonly prefix: string;
  readonly url: string;
  readonly bearerToken: Secret | undefined;
  /** As {@link changeSettings} takes them. */
  readonly settings: JsonObject;
}

/** @throws GatewayError `already_exists` for a prefix that the project has; `invalid_argument` beyond the bound. */
export async function createUpstream(
  { transact, keyring }: UpstreamWriter,
  origin: AuditOrigin,
  { projectUuid, prefix, url, bearerToken, settings }: NewUpstream,
): Promise<Upstream> {
  const document = changeSettings({}, settings);
  const uuid = randomUUID();
  return await withPrefix(prefix, async () => {
    return await transact(async (transaction, announce) => {
      await checkRoom(transaction, projectUuid);
      const row = await transaction.upstream.create({
        data: {
          uuid,
          projectUuid,
          projectId: origin.project?.id ?? null,
          projectName: origin.project?.name ?? null,
          prefix,
          url,
          sealedBearerToken: bearerToken === undefined ? null : sealToken(keyring, bearerToken, uuid),
          settings: document as Prisma.InputJsonObject,
        },
      });
      const upstream = toUpstream(row);
      await recordEvent(transaction, upstreamCreated(origin, upstream));
      await announce(projectUuid);
      return upstream;
    });
  });
}

/** What is undefined stays. */
export interface UpstreamUpdate {
  readonly prefix?: string | undefined;
  readonly url?: string | undefined;
  /** Null takes the token away. */
  readonly bearerToken?: Secret | null | undefined;
  readonly isActive?: boolean | undefined;
  readonly settings?: JsonObject | undefined;
}

/** @throws GatewayError `not_found`, and as {@link createUpstream}. */
export async function updateUpstream(
  { transact, keyring }: UpstreamWriter,
  origin: AuditOrigin,
  { id, update }: { readonly id: number; readonly update: UpstreamUpdate },
): Promise<Upstream> {
  return await withPrefix(update.prefix ?? "", async () => {
    return await transact(async (transaction, announce) => {
      const known = await requireUpstream(transaction, id);
      const changed = namesOf(update);
      if (changed.length === 0) return toUpstream(known);
      const row = await transaction.upstream.update({ where: { id }, data: toData(keyring, known, update) });
      // Other tools stand behind another address: what was approved there says nothing of them.
      if (update.url !== undefined && update.url !== known.url) await forgetTools(transaction, id);
      const upstream = toUpstream(row);
      await recordEvent(transaction, upstreamUpdated(withProject(origin, row), upstream, changed));
      await announce(row.projectUuid);
      return upstream;
    });
  });
}

/** @throws GatewayError `not_found` */
export async function deleteUpstream({ transact }: UpstreamWriter, origin: AuditOrigin, id: number): Promise<Upstream> {
  return await transact(async (transaction, announce) => {
    const known = await requireUpstream(transaction, id);
    await transaction.upstream.delete({ where: { id } });
    const upstream = toUpstream(known);
    await recordEvent(transaction, upstreamDeleted(withProject(origin, known), upstream));
    await announce(known.projectUuid);
    return upstream;
  });
}

/** Removes the upstreams of a project; none is fine. The project's own event stands for them. */
export async function deleteProject({ transact }: UpstreamWriter, projectUuid: string): Promise<void> {
  await transact(async (transaction, announce) => {
    const { count } = await transaction.upstream.deleteMany({ where: { projectUuid } });
    if (count > 0) await announce(projectUuid);
  });
}

/** @throws GatewayError `not_found` */
export async function requireUpstream(transaction: UpstreamTransaction, id: number) {
  const known = await transaction.upstream.findUnique({ where: { id } });
  if (known === null) throw upstreamNotFound(id);
  return known;
}

export function upstreamNotFound(id: number): GatewayError {
  return new GatewayError("not_found", `Upstream not found: ${id}`);
}

/** A change is asked for by the upstream's id alone, so the project comes from the registration. */
export function withProject(origin: AuditOrigin, row: ProjectColumns): AuditOrigin {
  return { ...origin, project: origin.project ?? projectOf(row) };
}

interface ProjectColumns {
  readonly projectUuid: string;
  readonly projectId: number | null;
  readonly projectName: string | null;
}

/** Null where whoever registered the upstream did not say whose it is. */
export function projectOf({ projectUuid, projectId, projectName }: ProjectColumns): ProjectReference | null {
  return projectId === null || projectName === null ? null : { id: projectId, uuid: projectUuid, name: projectName };
}

/** The arguments' names, as administrators know them. */
function namesOf({ prefix, url, bearerToken, isActive, settings }: UpstreamUpdate): string[] {
  const named = { prefix, url, bearer_token: bearerToken, is_active: isActive, ...settings };
  return Object.entries(named)
    .filter(([, value]) => value !== undefined)
    .map(([name]) => name);
}

function toData(
  keyring: Keyring,
  known: Awaited<ReturnType<typeof requireUpstream>>,
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

async function checkRoom(transaction: UpstreamTransaction, projectUuid: string): Promise<void> {
  if ((await transaction.upstream.count({ where: { projectUuid } })) < upstreamsMax) return;
  throw new GatewayError("invalid_argument", `A project can have at most ${upstreamsMax} upstreams.`);
}

async function withPrefix<T>(prefix: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (err) {
    if (violatedIndex(err) === undefined) throw err;
    throw new GatewayError("already_exists", `An upstream with the prefix '${prefix}' already exists in this project.`);
  }
}
