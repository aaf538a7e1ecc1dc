import { randomUUID } from "node:crypto";
import { isRowId, type Planned, refuseKeptSecrets, resourceNotFound } from "@gatehouse/admin";
import { type AuditInitiator, endpointEvent, endpointUpdated } from "@gatehouse/audit";
import { lockRow, type PageRequest, type PageResult, readPage, refuseTaken } from "@gatehouse/database";
import { invalidArgument } from "@gatehouse/errors";
import { unchanged } from "@gatehouse/service";
import { slugTaken } from "@gatehouse/slugs";
import { seal } from "@gatehouse/vault";
import type { Endpoint, EndpointSettings } from "../domain/endpoint-fields.ts";
import type { EndpointAuth, ShownAuth } from "../domain/endpoint.ts";
import type { Endpoint as EndpointRow } from "../generated/prisma/client.ts";
import type { ApiProxyStore, ConfigurationChange, Reader, Transaction } from "./api-proxy-store.ts";
import { sealPlaceOf } from "./seal-place.ts";

interface NewEndpoint {
  readonly projectUuid: string;
  readonly settings: EndpointSettings;
  readonly auth: EndpointAuth;
}

/** @throws GatewayError `already_exists` for a slug that the project has, `not_found` for an unknown connection */
export async function createEndpoint(
  store: ApiProxyStore,
  { projectUuid, settings, auth }: NewEndpoint,
  initiator: AuditInitiator,
): Promise<Endpoint> {
  const uuid = randomUUID();
  return await store.write(async (transaction) => {
    await holdConnection(transaction, auth, projectUuid);
    const data = { uuid, projectUuid, ...settings, ...authColumns(store, uuid, auth) };
    const row = await transaction.endpoint.create({ data }).catch(refuseTaken(slugTaken(settings.slug)));
    const events = [endpointEvent("endpoint.created", row, initiator)];
    return { result: toEndpoint(row), changes: [changeOf(row)], events };
  });
}

/** @throws as {@link createEndpoint} */
export async function requireFreeSlug(store: ApiProxyStore, projectUuid: string, slug: string): Promise<void> {
  const where = { projectUuid, slug };
  const taken = await store.read(async (client) => await client.endpoint.findFirst({ where, select: { uuid: true } }));
  if (taken !== null) throw slugTaken(slug);
}

/** Checks that the connection of an auth exists or is planned. @throws as {@link createEndpoint} */
export async function requireConnection(
  store: ApiProxyStore,
  auth: EndpointAuth,
  projectUuid: string,
  { references }: Pick<Planned, "references">,
): Promise<void> {
  if (auth.type === "oauth" && references.has(`oauth_connection/${auth.connectionId}`)) return;
  await store.read(async (client) => await checkConnection(client, auth, projectUuid));
}

/** A page of a project's endpoints, oldest first. */
export async function listEndpoints(
  store: ApiProxyStore,
  { projectUuid, ...page }: PageRequest & { readonly projectUuid: string },
): Promise<PageResult<Endpoint>> {
  return await readPage(page, toEndpoint, async ({ after, ...query }) => {
    return await store.read(
      async (client) => await client.endpoint.findMany({ where: { projectUuid, ...after }, ...query }),
    );
  });
}

/** @throws GatewayError `not_found` for an unknown uuid */
export async function getEndpoint(store: ApiProxyStore, uuid: string): Promise<Endpoint> {
  return toEndpoint(await store.read(async (client) => await requireRow(client, uuid)));
}

interface EndpointUpdate {
  readonly uuid: string;
  /** Absent settings stay as they are. */
  readonly settings: Partial<EndpointSettings>;
  /** Undefined: unchanged. */
  readonly auth: EndpointAuth | undefined;
  /** Names of the arguments whose values differ. */
  readonly changed: (present: Endpoint) => readonly string[];
}

interface AddressUpdate {
  readonly upstreamUrl: string | undefined;
  readonly auth: EndpointAuth | undefined;
}

/** Stored credentials stay with their host. @throws GatewayError `invalid_argument` */
export function checkAddress(
  { upstreamUrl, auth: stored }: Pick<Endpoint, "upstreamUrl" | "auth">,
  { upstreamUrl: to, auth }: AddressUpdate,
): void {
  // The token of a connection goes to each endpoint that names it.
  const hasSecret = stored.type === "header" || stored.type === "basic";
  const kept = hasSecret && auth === undefined ? ["auth"] : [];
  refuseKeptSecrets({ argument: "upstream_url", from: upstreamUrl, to, kept });
}

/**
 * Announces and records nothing where nothing differs.
 * @throws GatewayError as {@link createEndpoint}, and `not_found` for an unknown uuid
 */
export async function updateEndpoint(
  store: ApiProxyStore,
  { uuid, settings, auth, changed }: EndpointUpdate,
  initiator: AuditInitiator,
): Promise<Endpoint> {
  return await store.write(async (transaction) => {
    const present = await lockEndpoint(transaction, uuid);
    const seen = toEndpoint(present);
    checkAddress(seen, { upstreamUrl: settings.upstreamUrl, auth });
    const names = changed(seen);
    if (names.length === 0) return unchanged(seen);
    if (auth !== undefined) await holdConnection(transaction, auth, present.projectUuid);
    const data = { ...settings, ...(auth === undefined ? {} : authColumns(store, uuid, auth)) };
    const slug = settings.slug ?? present.slug;
    const row = await transaction.endpoint.update({ where: { uuid }, data }).catch(refuseTaken(slugTaken(slug)));
    const changes = row.slug === present.slug ? [changeOf(row)] : [changeOf(present), changeOf(row)];
    return { result: toEndpoint(row), changes, events: [endpointUpdated(row, names, initiator)] };
  });
}

/** Idempotent; a repetition records no event. @throws GatewayError `not_found` for an unknown uuid */
export async function setEndpointActive(
  store: ApiProxyStore,
  uuid: string,
  isActive: boolean,
  initiator: AuditInitiator,
): Promise<Endpoint> {
  return await store.write(async (transaction) => {
    const present = await lockEndpoint(transaction, uuid);
    if (present.isActive === isActive) return unchanged(toEndpoint(present));
    const row = await transaction.endpoint.update({ where: { uuid }, data: { isActive } });
    const event = isActive ? "endpoint.activated" : "endpoint.deactivated";
    return { result: toEndpoint(row), changes: [changeOf(row)], events: [endpointEvent(event, row, initiator)] };
  });
}

/** @throws GatewayError `not_found` for an unknown uuid */
export async function deleteEndpoint(store: ApiProxyStore, uuid: string, initiator: AuditInitiator): Promise<Endpoint> {
  return await store.write(async (transaction) => {
    await lockEndpoint(transaction, uuid);
    const row = await transaction.endpoint.delete({ where: { uuid } });
    const events = [endpointEvent("endpoint.deleted", row, initiator)];
    return { result: toEndpoint(row), changes: [changeOf(row)], events };
  });
}

/** Deletes all endpoints and connections of a project, without events besides the project's. Idempotent. */
export async function deleteProject(store: ApiProxyStore, projectUuid: string): Promise<void> {
  await store.write(async (transaction) => {
    const where = { projectUuid };
    // Locks the connections, so that no endpoint can start to use one.
    await transaction.$queryRaw`SELECT FROM oauth_connections WHERE project_uuid = ${projectUuid}::uuid ORDER BY id FOR UPDATE`;
    const rows = await transaction.endpoint.findMany({ where });
    const connections = await transaction.oauthConnection.findMany({ where, select: { id: true } });
    await transaction.endpoint.deleteMany({ where });
    await transaction.oauthConnection.deleteMany({ where });
    const ofConnections = connections.map(({ id }) => ({ subject: "connection", connectionId: id }) as const);
    return { result: undefined, changes: [...rows.map(changeOf), ...ofConnections], events: [] };
  });
}

async function lockEndpoint(transaction: Transaction, uuid: string): Promise<EndpointRow> {
  await lockRow(transaction, "endpoints", { uuid });
  return await requireRow(transaction, uuid);
}

async function requireRow(client: Reader, uuid: string): Promise<EndpointRow> {
  const row = await client.endpoint.findUnique({ where: { uuid } });
  if (row === null) throw resourceNotFound("Endpoint", uuid);
  return row;
}

/** Locks the connection of an auth, so that it is not deleted before its endpoint is stored. */
async function holdConnection(transaction: Transaction, auth: EndpointAuth, projectUuid: string): Promise<void> {
  if (auth.type === "oauth" && isRowId(auth.connectionId)) {
    await transaction.$queryRaw`SELECT FROM oauth_connections WHERE id = ${auth.connectionId} FOR KEY SHARE`;
  }
  await checkConnection(transaction, auth, projectUuid);
}

async function checkConnection(client: Reader, auth: EndpointAuth, projectUuid: string): Promise<void> {
  if (auth.type !== "oauth") return;
  const where = { id: auth.connectionId, projectUuid };
  const found = isRowId(where.id) ? await client.oauthConnection.findFirst({ where, select: { id: true } }) : null;
  // Another project's connection counts as missing, so that it can neither be used nor probed for.
  if (found === null) throw invalidArgument(`OAuth connection not found: ${auth.connectionId}`);
}

function changeOf({ projectUuid, slug }: EndpointRow): ConfigurationChange {
  return { subject: "endpoint", projectUuid, slug };
}

function authColumns({ keyring }: ApiProxyStore, uuid: string, auth: EndpointAuth) {
  const none = { authType: auth.type, authName: null, authSecret: null, connectionId: null };
  const place = sealPlaceOf.endpoint(uuid);
  switch (auth.type) {
    case "header":
      return { ...none, authName: auth.name, authSecret: seal(keyring, auth.value, place) };
    case "basic":
      return { ...none, authName: auth.username, authSecret: seal(keyring, auth.password, place) };
    case "oauth":
      return { ...none, connectionId: auth.connectionId };
    case "none":
      return none;
    default:
      return auth satisfies never;
  }
}

function toEndpoint({ id: _id, authType, authName, authSecret: _secret, connectionId, ...row }: EndpointRow): Endpoint {
  return { ...row, auth: toShownAuth({ authType, authName, connectionId }) };
}

type ShownAuthColumns = Pick<EndpointRow, "authType" | "authName" | "connectionId">;

function toShownAuth({ authType, authName, connectionId }: ShownAuthColumns): ShownAuth {
  if (authType === "header") return { type: "header", name: authName ?? "" };
  if (authType === "basic") return { type: "basic", username: authName ?? "" };
  if (authType === "oauth") return { type: "oauth", connectionId: connectionId ?? 0 };
  return { type: "none" };
}
