import { resourceNotFound } from "@gatehouse/admin";
import { lockRow, type PageRequest, type PageResult, readPage, refuseTaken } from "@gatehouse/database";
import { GatewayError, invalidArgument } from "@gatehouse/errors";
import type { ProviderKind } from "@gatehouse/providers";
import type { ProviderDefinition } from "../domain/provider-rules.ts";
import { providerEvent, providerUpdated } from "../events.ts";
import type { Provider as ProviderRow } from "../generated/prisma/client.ts";
import {
  type ChatStore,
  type ChatWriteContext,
  providersChanged,
  type Reader,
  type Transaction,
  unchanged,
} from "./chat-store.ts";

/** Stored provider without its credentials. Targets refer to its `name`, which never changes. */
export interface Provider extends ProviderDefinition {
  readonly id: number;
  readonly enabled: boolean;
  readonly createdAt: Date;
}

/** @throws GatewayError `already_exists` when the name is taken */
export async function createProvider(context: ChatWriteContext, provider: ProviderDefinition): Promise<Provider> {
  return await context.write(async (transaction) => {
    const taken = refuseTaken(nameTaken(provider.name));
    const row = await transaction.provider.create({ data: provider }).catch(taken);
    const result = toProvider(row);
    return {
      result,
      changes: providersChanged,
      events: [providerEvent("provider.created", context.initiator, result)],
    };
  });
}

/** @throws as {@link createProvider} */
export async function requireFreeName(context: ChatStore, name: string): Promise<void> {
  const taken = await context.read(async (client) => await client.provider.findUnique({ where: { name } }));
  if (taken !== null) throw nameTaken(name);
}

function nameTaken(name: string): GatewayError {
  return new GatewayError("already_exists", `Provider already exists: ${name}`);
}

/** By id, and so oldest first. */
export async function listProviders(context: ChatStore, page: PageRequest): Promise<PageResult<Provider>> {
  return await readPage(page, toProvider, async ({ after, ...query }) => {
    return await context.read(async (client) => await client.provider.findMany({ where: after, ...query }));
  });
}

/** @throws GatewayError `not_found` for an unknown provider */
export async function setProviderEnabled(
  context: ChatWriteContext,
  { provider, enabled }: { readonly provider: string; readonly enabled: boolean },
): Promise<Provider> {
  return await context.write(async (transaction) => {
    const present = await requireProvider(transaction, provider);
    const { id } = present;
    // Part of the condition, so that of two concurrent requests only one makes the change.
    const where = { id, enabled: !enabled };
    const { count } = await transaction.provider.updateMany({ where, data: { enabled } });
    const result = { ...present, enabled };
    if (count === 0) return unchanged(result);
    const event = enabled ? "provider.enabled" : "provider.disabled";
    return { result, changes: providersChanged, events: [providerEvent(event, context.initiator, result)] };
  });
}

interface ProviderChange {
  readonly definition: ProviderDefinition;
  /** Names of the arguments whose values differ. */
  readonly changed: readonly string[];
}

/** Changes a provider's kind and base URL. @throws GatewayError `not_found` for an unknown provider */
export async function updateProvider(
  context: ChatWriteContext,
  nameOrId: string,
  change: (present: Provider) => ProviderChange,
): Promise<Provider> {
  return await context.write(async (transaction) => {
    const present = await lockProvider(transaction, nameOrId);
    const { definition, changed } = change(present);
    if (changed.length === 0) return unchanged(present);
    const { kind, baseUrl } = definition;
    const row = await transaction.provider.update({ where: { id: present.id }, data: { kind, baseUrl } });
    const result = toProvider(row);
    return { result, changes: providersChanged, events: [providerUpdated(context.initiator, result, changed)] };
  });
}

/** Endpoints listed in a refusal. */
const namedEndpointsMax = 3;

/**
 * Deletes a provider with its credentials.
 * @throws GatewayError `not_found` for an unknown provider, `invalid_argument` while targets refer to it
 */
export async function deleteProvider(context: ChatWriteContext, nameOrId: string): Promise<Provider> {
  return await context.write(async (transaction) => {
    const present = await lockProvider(transaction, nameOrId);
    const { name } = present;
    const where = { targets: { array_contains: [{ provider: name }] } };
    const users = await transaction.endpoint.findMany({
      where,
      select: { slug: true },
      orderBy: { id: "asc" },
      take: namedEndpointsMax + 1,
    });
    if (users.length > 0) {
      const named = users.slice(0, namedEndpointsMax).map(({ slug }) => `'${slug}'`);
      const more = users.length > namedEndpointsMax ? " and others" : "";
      const problem = `Provider ${name} is named by targets of endpoints ${named.join(", ")}${more}; give those other targets first`;
      throw invalidArgument(problem);
    }
    await transaction.provider.delete({ where: { id: present.id } });
    return {
      result: present,
      changes: providersChanged,
      events: [providerEvent("provider.deleted", context.initiator, present)],
    };
  });
}

/** Locks the row until the transaction ends, so that no endpoint starts to use it meanwhile. */
async function lockProvider(transaction: Transaction, nameOrId: string): Promise<Provider> {
  const { id, name } = await requireProvider(transaction, nameOrId);
  await lockRow(transaction, "providers", { id });
  return await requireProvider(transaction, name);
}

/** A provider with its oldest active credential, which calls use. */
export interface CredentialInUse {
  readonly provider: string;
  readonly enabled: boolean;
  readonly credential: { readonly id: number; readonly uuid: string; readonly name: string } | undefined;
}

/** Bounds the list; a gateway has tens of providers. */
const providersMax = 1_000;

/** Each provider with the credential that calls use; without one where none is active. */
export async function listCredentialsInUse(context: ChatStore): Promise<readonly CredentialInUse[]> {
  const rows = await context.read(async (client) => {
    return await client.provider.findMany({
      select: {
        name: true,
        enabled: true,
        credentials: {
          select: { id: true, uuid: true, name: true },
          where: { isActive: true },
          orderBy: { id: "asc" },
          take: 1,
        },
      },
      orderBy: { id: "asc" },
      take: providersMax,
    });
  });
  return rows.map(({ name, enabled, credentials: [credential] }) => ({ provider: name, enabled, credential }));
}

/** Finds a provider by name, or else by decimal id. */
export async function requireProvider(transaction: Reader, nameOrId: string): Promise<Provider> {
  const byName = await transaction.provider.findUnique({ where: { name: nameOrId } });
  if (byName !== null) return toProvider(byName);
  const id = /^[0-9]{1,9}$/.test(nameOrId) ? Number(nameOrId) : undefined;
  const byId = id === undefined ? null : await transaction.provider.findUnique({ where: { id } });
  if (byId === null) throw resourceNotFound("Provider", nameOrId);
  return toProvider(byId);
}

/** Provider of a database row. `kind` is cast: rows are written from definitions that `checkProvider` has accepted. */
export function toProvider(row: ProviderRow): Provider {
  // Checked when the row was written.
  return { ...row, kind: row.kind as ProviderKind };
}
