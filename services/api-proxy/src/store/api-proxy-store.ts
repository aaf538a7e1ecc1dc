import { type ChangeFeed, createTransactor, type Database, reading, type Transactor } from "@gatehouse/database";
import type { Keyring } from "@gatehouse/vault";
import { type Prisma, PrismaClient } from "../generated/prisma/client.ts";

export type Transaction = Prisma.TransactionClient;

/** What every replica must read anew. */
export type ConfigurationChange =
  | { readonly subject: "endpoint"; readonly projectUuid: string; readonly slug: string }
  | { readonly subject: "connection"; readonly connectionId: number };

export interface ApiProxyStore {
  readonly database: Database;
  readonly prisma: PrismaClient;
  readonly transact: Transactor<Transaction, ConfigurationChange>;
  /** Seals and opens secrets at rest. */
  readonly keyring: Keyring;
  /** Told after a commit that may have left an event in the outbox. */
  readonly onCommit: () => void;
}

export interface ApiProxyStoreOptions {
  readonly database: Database;
  readonly changes: ChangeFeed;
  readonly keyring: Keyring;
  readonly onCommit: () => void;
}

export function createApiProxyStore({ database, changes, keyring, onCommit }: ApiProxyStoreOptions): ApiProxyStore {
  const prisma = new PrismaClient({ adapter: database.prismaAdapter() });
  const encode = (change: ConfigurationChange) => JSON.stringify(change);
  const transact = createTransactor<Transaction, ConfigurationChange>(prisma, changes, encode);
  return {
    database,
    prisma,
    keyring,
    onCommit,
    transact: async (work) => {
      const result = await transact(work);
      onCommit();
      return result;
    },
  };
}

export function parseChange(payload: string): ConfigurationChange {
  return JSON.parse(payload) as ConfigurationChange;
}

/** Runs a read; an unreachable database becomes `unavailable`. */
export async function read<T>({ prisma }: ApiProxyStore, work: (client: PrismaClient) => Promise<T>): Promise<T> {
  return await reading(async () => await work(prisma));
}
