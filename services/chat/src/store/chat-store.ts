import { type ChangeFeed, type Database, type StatementRunner, toDatabaseError } from "@gatehouse/database";
import { type Prisma, PrismaClient } from "../generated/prisma/client.ts";

export type Transaction = Prisma.TransactionClient;

/** What other replicas, and this one, must read anew. */
export type ConfigurationChange =
  | { readonly subject: "endpoint"; readonly projectUuid: string; readonly slug: string }
  /** Providers and credentials are few and concern every endpoint. */
  | { readonly subject: "providers" };

export interface ChatStoreContext {
  readonly prisma: PrismaClient;
  readonly changes: ChangeFeed;
}

export function createStoreContext(database: Database, changes: ChangeFeed): ChatStoreContext {
  return { prisma: new PrismaClient({ adapter: database.prismaAdapter() }), changes };
}

/** What a write answers with, and what it changed; no change is announced where nothing did. */
export interface Written<T> {
  readonly result: T;
  readonly changes: readonly ConfigurationChange[];
}

/** Runs a write in one transaction that also announces the change; this process hears of it at once after the commit. */
export async function write<T>(
  { prisma, changes }: ChatStoreContext,
  work: (transaction: Transaction) => Promise<Written<T>>,
): Promise<T> {
  try {
    const written = await prisma.$transaction(async (transaction) => {
      const outcome = await work(transaction);
      const runner = statementRunner(transaction);
      for (const change of outcome.changes) await changes.announce(runner, JSON.stringify(change));
      return outcome;
    });
    for (const change of written.changes) changes.deliver(JSON.stringify(change));
    return written.result;
  } catch (err) {
    throw toDatabaseError(err);
  }
}

/** Runs a read; an unreachable database becomes `unavailable`. */
export async function read<T>({ prisma }: ChatStoreContext, work: (client: PrismaClient) => Promise<T>): Promise<T> {
  try {
    return await work(prisma);
  } catch (err) {
    throw toDatabaseError(err);
  }
}

export function parseChange(payload: string): ConfigurationChange {
  return JSON.parse(payload) as ConfigurationChange;
}

function statementRunner(transaction: Transaction): StatementRunner {
  return { query: async (sql, values) => await transaction.$executeRawUnsafe(sql, ...values) };
}
