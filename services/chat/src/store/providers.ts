import { pageBounds, type PageRequest, type PageResult, toPage, violatedIndex } from "@gatehouse/database";
import { GatewayError } from "@gatehouse/errors";
import type { ProviderKind } from "../domain/provider.ts";
import { providerCreated, providerSwitched } from "../events.ts";
import type { Provider as ProviderRow } from "../generated/prisma/client.ts";
import {
  type ChatStoreContext,
  type ChatWriteContext,
  read,
  type Transaction,
  unchanged,
  write,
} from "./chat-store.ts";

export interface Provider {
  readonly id: number;
  readonly name: string;
  readonly kind: ProviderKind;
  readonly baseUrl: string | null;
  readonly enabled: boolean;
  readonly createdAt: Date;
}

export interface NewProvider {
  readonly name: string;
  readonly kind: ProviderKind;
  readonly baseUrl: string | null;
}

/** @throws GatewayError `already_exists` when the name is taken. */
export async function createProvider(context: ChatWriteContext, provider: NewProvider): Promise<Provider> {
  return await write(context, async (transaction) => {
    const row = await transaction.provider.create({ data: provider }).catch((err: unknown) => {
      if (violatedIndex(err) === undefined) throw err;
      throw new GatewayError("already_exists", `Provider already exists: ${provider.name}`);
    });
    const result = toProvider(row);
    return { result, changes: [{ subject: "providers" }], events: [providerCreated(context.origin, result)] };
  });
}

export async function listProviders(context: ChatStoreContext, page: PageRequest): Promise<PageResult<Provider>> {
  const { take, afterId } = pageBounds(page);
  const rows = await read(context, async (client) => {
    return await client.provider.findMany({ where: { id: { gt: afterId } }, orderBy: { id: "asc" }, take: take + 1 });
  });
  return toPage(rows.map(toProvider), take);
}

/** @throws GatewayError `not_found` for an unknown provider. */
export async function setProviderEnabled(
  context: ChatWriteContext,
  { provider, enabled }: { readonly provider: string; readonly enabled: boolean },
): Promise<Provider> {
  return await write(context, async (transaction) => {
    const present = await requireProvider(transaction, provider);
    const { id } = present;
    // A condition of the statement, so that of two who ask at once only one has made the change.
    const rows = await transaction.provider.updateManyAndReturn({
      where: { id, enabled: !enabled },
      data: { enabled },
    });
    const [row] = rows;
    if (row === undefined) return unchanged({ ...present, enabled });
    const result = toProvider(row);
    return { result, changes: [{ subject: "providers" }], events: [providerSwitched(context.origin, result)] };
  });
}

/** Finds a provider by its name, or by its id in decimal where no provider has that name. */
export async function requireProvider(transaction: Transaction, nameOrId: string): Promise<Provider> {
  const byName = await transaction.provider.findUnique({ where: { name: nameOrId } });
  if (byName !== null) return toProvider(byName);
  const id = /^[0-9]{1,9}$/.test(nameOrId) ? Number(nameOrId) : undefined;
  const byId = id === undefined ? null : await transaction.provider.findUnique({ where: { id } });
  if (byId === null) throw new GatewayError("not_found", `Provider not found: ${nameOrId}`);
  return toProvider(byId);
}

function toProvider(row: ProviderRow): Provider {
  // The kind was checked when the row was written.
  return { ...row, kind: row.kind as ProviderKind };
}
