import { randomUUID } from "node:crypto";
import { type Planned, resourceNotFound } from "@gatehouse/admin";
import { endpointEvent, type EndpointEventKey, endpointUpdated } from "@gatehouse/audit";
import { lockRow, type PageRequest, type PageResult, readPage, refuseTaken } from "@gatehouse/database";
import { invalidArgument } from "@gatehouse/errors";
import type { Target } from "@gatehouse/failover";
import type { JsonObject } from "@gatehouse/json";
import { slugTaken } from "@gatehouse/slugs";
import type { Endpoint, EndpointDefinition } from "../domain/endpoint-fields.ts";
import { type Endpoint as EndpointRow, Prisma } from "../generated/prisma/client.ts";
import { permitBudgetEvents } from "./budget-events.ts";
import {
  type ChatStore,
  type ChatWriteContext,
  type ConfigurationChange,
  type Reader,
  type Transaction,
  unchanged,
} from "./chat-store.ts";
import { toEndpoint } from "./endpoint-record.ts";

/** @throws GatewayError `already_exists` for a slug that the project has, `invalid_argument` for an unknown provider */
export async function createEndpoint(
  context: ChatWriteContext,
  projectUuid: string,
  definition: EndpointDefinition,
): Promise<Endpoint> {
  return await context.write(async (transaction) => {
    await checkProviders(transaction, definition.targets);
    const data = { uuid: randomUUID(), projectUuid, ...toColumns(definition) };
    const row = await transaction.endpoint.create({ data }).catch(refuseTaken(slugTaken(definition.slug)));
    return toWriteResult(context, "endpoint.created", row);
  });
}

/** @throws as {@link createEndpoint} */
export async function requireFreeSlug(context: ChatStore, projectUuid: string, slug: string): Promise<void> {
  const where = { projectUuid, slug };
  const taken = await context.read(async (client) => await client.endpoint.findFirst({ where, select: { id: true } }));
  if (taken !== null) throw slugTaken(slug);
}

/** Checks that each provider of the targets exists or is planned. @throws as {@link createEndpoint} */
export async function requireProviders(
  context: ChatStore,
  targets: readonly Target[],
  { references }: Pick<Planned, "references">,
): Promise<void> {
  const names = namesOf(targets).filter((name) => !references.has(`provider/${name}`));
  const known = await context.read(
    async (client) => await client.provider.findMany({ where: { name: { in: names } } }),
  );
  refuseMissing(names, known);
}

/** Oldest first. */
export async function listEndpoints(
  context: ChatStore,
  { projectUuid, ...page }: PageRequest & { readonly projectUuid: string },
): Promise<PageResult<Endpoint>> {
  return await readPage(page, toEndpoint, async ({ after, ...query }) => {
    return await context.read(
      async (client) => await client.endpoint.findMany({ where: { projectUuid, ...after }, ...query }),
    );
  });
}

/** @throws GatewayError `not_found` for an unknown uuid */
export async function getEndpoint(context: ChatStore, uuid: string): Promise<Endpoint> {
  return toEndpoint(await context.read(async (client) => await requireRow(client, uuid)));
}

interface EndpointChange {
  readonly definition: EndpointDefinition;
  /** Names of the arguments whose values differ. */
  readonly changed: readonly string[];
}

/**
 * Changes an endpoint to the result of `change`; announces and records nothing where nothing differs. @throws GatewayError as
 * {@link createEndpoint}
 */
export async function updateEndpoint(
  context: ChatWriteContext,
  uuid: string,
  change: (present: EndpointDefinition) => EndpointChange,
): Promise<Endpoint> {
  return await context.write(async (transaction) => {
    const present = await lockEndpoint(transaction, uuid);
    const before = toEndpoint(present);
    const { definition, changed } = change(definitionOf(before));
    if (changed.length === 0) return unchanged(before);
    await checkProviders(transaction, definition.targets);
    const update = transaction.endpoint.update({ where: { uuid }, data: toColumns(definition) });
    const row = await update.catch(refuseTaken(slugTaken(definition.slug)));
    if (budgetOf(definition) > budgetOf(before)) await permitBudgetEvents(transaction, uuid);
    const events = [endpointUpdated(row, changed, context.initiator)];
    return { result: toEndpoint(row), changes: [changeOf(present), changeOf(row)], events };
  });
}

function budgetOf({ monthlyBudgetMicros }: EndpointDefinition): number {
  return monthlyBudgetMicros ?? Number.POSITIVE_INFINITY;
}

/** @throws GatewayError `not_found` for an unknown uuid */
export async function setEndpointActive(context: ChatWriteContext, uuid: string, isActive: boolean): Promise<Endpoint> {
  return await context.write(async (transaction) => {
    const present = await lockEndpoint(transaction, uuid);
    if (present.isActive === isActive) return unchanged(toEndpoint(present));
    const row = await transaction.endpoint.update({ where: { uuid }, data: { isActive } });
    return toWriteResult(context, isActive ? "endpoint.activated" : "endpoint.deactivated", row);
  });
}

/** @throws GatewayError `not_found` for an unknown uuid */
export async function deleteEndpoint(context: ChatWriteContext, uuid: string): Promise<Endpoint> {
  return await context.write(async (transaction) => {
    await lockEndpoint(transaction, uuid);
    return toWriteResult(context, "endpoint.deleted", await transaction.endpoint.delete({ where: { uuid } }));
  });
}

/** Deletes all endpoints of a deleted project, without events besides the project's. */
export async function deleteProject(context: ChatStore, projectUuid: string): Promise<void> {
  await context.write(async (transaction) => {
    const rows = await transaction.endpoint.findMany({ where: { projectUuid } });
    await transaction.endpoint.deleteMany({ where: { projectUuid } });
    return { result: undefined, changes: rows.map(changeOf), events: [] };
  });
}

/** The slugs of endpoints by uuid; deleted endpoints are absent. */
export async function slugsOf(context: ChatStore, uuids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await context.read(async (client) => {
    return await client.endpoint.findMany({ where: { uuid: { in: [...uuids] } }, select: { uuid: true, slug: true } });
  });
  return new Map(rows.map(({ uuid, slug }) => [uuid, slug]));
}

async function requireRow(client: Reader, uuid: string): Promise<EndpointRow> {
  const row = await client.endpoint.findUnique({ where: { uuid } });
  if (row === null) throw resourceNotFound("Endpoint", uuid);
  return row;
}

/** Locks the row until the transaction ends, so that a decision from it still holds when it is written. */
async function lockEndpoint(client: Transaction, uuid: string): Promise<EndpointRow> {
  await lockRow(client, "endpoints", { uuid });
  return await requireRow(client, uuid);
}

/** Locks the providers of the targets, so that none is deleted before the targets are stored. */
async function checkProviders(client: Transaction, targets: readonly Target[]): Promise<void> {
  const names = namesOf(targets);
  const known = await client.$queryRaw<{ readonly name: string }[]>`
    SELECT name FROM providers WHERE name = ANY(${names}) ORDER BY id FOR KEY SHARE`;
  refuseMissing(names, known);
}

function namesOf(targets: readonly Target[]): string[] {
  return [...new Set(targets.map(({ provider }) => provider))];
}

function refuseMissing(names: readonly string[], known: readonly { readonly name: string }[]): void {
  const missing = names.find((name) => !known.some((row) => row.name === name));
  if (missing !== undefined) throw invalidArgument(`Provider not found: ${missing}`);
}

function toWriteResult({ initiator }: ChatWriteContext, event: EndpointEventKey, row: EndpointRow) {
  return { result: toEndpoint(row), changes: [changeOf(row)], events: [endpointEvent(event, row, initiator)] };
}

function changeOf({ projectUuid, slug }: EndpointRow): ConfigurationChange {
  return { subject: "endpoint", projectUuid, slug };
}

function definitionOf(endpoint: Endpoint): EndpointDefinition {
  const {
    uuid: _uuid,
    projectUuid: _project,
    isActive: _isActive,
    createdAt: _at,
    updatedAt: _changed,
    ...rest
  } = endpoint;
  return rest;
}

function toColumns(definition: EndpointDefinition) {
  const { parameters, inputSchema, outputSchema, targets, monthlyBudgetMicros, allowedParameters, ...columns } =
    definition;
  return {
    ...columns,
    allowedParameters: [...allowedParameters],
    targets: targets as unknown as Prisma.InputJsonValue,
    parameters: toJsonColumn(parameters),
    inputSchema: toJsonColumn(inputSchema),
    outputSchema: toJsonColumn(outputSchema),
    monthlyBudgetMicros: monthlyBudgetMicros === null ? null : BigInt(monthlyBudgetMicros),
  };
}

function toJsonColumn(value: JsonObject | null) {
  return value === null ? Prisma.DbNull : (value as Prisma.InputJsonValue);
}
