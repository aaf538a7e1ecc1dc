import { type AuditOrigin, type NewAuditEvent, recordEvents } from "@gatehouse/audit";
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

/** What changes are written with: who asks for them. */
export interface ChatWriteContext extends ChatStoreContext {
  readonly origin: AuditOrigin;
}

/** @param onCommitted runs after every transaction that is committed. */
export function createStoreContext(
  database: Database,
  changes: ChangeFeed,
  onCommitted: () => void = () => {},
): ChatStoreContext {
  const prisma = new PrismaClient({ adapter: database.prismaAdapter() });
  const encode = (change: ConfigurationChange) => JSON.stringify(change);
  const transact = createTransactor<Transaction, ConfigurationChange>(prisma, changes, encode);
  return {
    prisma,
    async transact(work) {
      const result = await transact(work);
      onCommitted();
      return result;
    },
  };
}

/** What a write answers with, and what it changed; nothing is announced or recorded where nothing changed. */
export interface Written<T> {
  readonly result: T;
  readonly changes: readonly ConfigurationChange[];
  readonly events: readonly NewAuditEvent[];
}

/** What a write answers with that found everything as it was to be. */
export function unchanged<T>(result: T): Written<T> {
  return { result, changes: [], events: [] };
}

/** Runs a write in one transaction that also announces and records what it changed. */
export async function write<T>(
  { transact }: ChatStoreContext,
  work: (transaction: Transaction) => Promise<Written<T>>,
): Promise<T> {
  return await transact(async (transaction, announce) => {
    const { result, changes, events } = await work(transaction);
    for (const change of changes) await announce(change);
    await recordEvents(transaction, events);
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
