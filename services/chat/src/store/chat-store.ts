import { type ChangeFeed, createTransactor, type Database, reading, type Transactor } from "@gatehouse/database";
import { type Prisma, PrismaClient } from "../generated/prisma/client.ts";

export type Transaction = Prisma.TransactionClient;

/** What other replicas, and this one, must read anew. */
export type ConfigurationChange =
  | { readonly subject: "endpoint"; readonly projectUuid: string; readonly slug: string }
  /** Providers and credentials are few and concern every endpoint. */
  | { readonly subject: "providers" };

export interface ChatStoreContext {
  readonly prisma: PrismaClient;
  readonly transact: Transactor<Transaction, ConfigurationChange>;
}

export function createStoreContext(database: Database, changes: ChangeFeed): ChatStoreContext {
  const prisma = new PrismaClient({ adapter: database.prismaAdapter() });
  const encode = (change: ConfigurationChange) => JSON.stringify(change);
  return { prisma, transact: createTransactor<Transaction, ConfigurationChange>(prisma, changes, encode) };
}

/** What a write answers with, and what it changed; nothing is announced where nothing changed. */
export interface Written<T> {
  readonly result: T;
  readonly changes: readonly ConfigurationChange[];
}

/** Runs a write in one transaction that also announces what it changed. */
export async function write<T>(
  { transact }: ChatStoreContext,
  work: (transaction: Transaction) => Promise<Written<T>>,
): Promise<T> {
  return await transact(async (transaction, announce) => {
    const { result, changes } = await work(transaction);
    for (const change of changes) await announce(change);
    return result;
  });
}

/** Runs a read; an unreachable database becomes `unavailable`. */
export async function read<T>({ prisma }: ChatStoreContext, work: (client: PrismaClient) => Promise<T>): Promise<T> {
  return await reading(async () => await work(prisma));
}

export function parseChange(payload: string): ConfigurationChange {
  return JSON.parse(payload) as ConfigurationChange;
}
