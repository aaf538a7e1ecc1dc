import { type Database, toDatabaseError } from "@gatehouse/database";
import { type Prisma, PrismaClient } from "../generated/prisma/client.ts";

/** Runs a change of state: all of it commits, its audit event included, or none does. */
export type Transact = <T>(work: (transaction: Prisma.TransactionClient) => Promise<T>) => Promise<T>;

export interface WebhookStore {
  /** @throws GatewayError `unavailable` where the database is away. */
  readonly transact: Transact;
  close(): Promise<void>;
}

const transactionBounds = { maxWait: 5_000, timeout: 10_000 };

/** @param onCommit called after each change that commits: an audit event may wait to go out. */
export function createWebhookStore(database: Database, onCommit: () => void): WebhookStore {
  const prisma = new PrismaClient({ adapter: database.prismaAdapter() });
  return {
    async transact(work) {
      try {
        const result = await prisma.$transaction(work, transactionBounds);
        onCommit();
        return result;
      } catch (err) {
        throw toDatabaseError(err);
      }
    },
    close: async () => await prisma.$disconnect(),
  };
}
