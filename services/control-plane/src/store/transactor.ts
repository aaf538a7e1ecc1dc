import { type ChangeFeed, type StatementRunner, toDatabaseError } from "@gatehouse/database";
import { encodePrincipalChange, type PrincipalChange } from "../domain/principal-change.ts";
import type { Prisma, PrismaClient } from "../generated/prisma/client.ts";

export type Transaction = Prisma.TransactionClient;

/** Tells the routers of a change when, and only when, the transaction commits. */
export type Announce = (change: PrincipalChange) => Promise<void>;

/** Runs a change of state: all of it commits with its announcements, or none does. */
export type Transactor = <T>(work: (tx: Transaction, announce: Announce) => Promise<T>) => Promise<T>;

const transactionBounds = { maxWait: 5_000, timeout: 10_000 };

/** @returns a transactor that reports an unreachable database as `unavailable`. */
export function createTransactor(prisma: PrismaClient, feed: ChangeFeed): Transactor {
  return async (work) => {
    const payloads: string[] = [];
    const result = await prisma
      .$transaction(async (tx) => {
        const announce: Announce = async (change) => {
          const payload = encodePrincipalChange(change);
          await feed.announce(toStatementRunner(tx), payload);
          payloads.push(payload);
        };
        return await work(tx, announce);
      }, transactionBounds)
      .catch((err: unknown) => {
        throw toDatabaseError(err);
      });
    for (const payload of payloads) feed.deliver(payload);
    return result;
  };
}

/** Runs a question to the database, reporting an unreachable one as `unavailable`. */
export async function reading<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (err) {
    throw toDatabaseError(err);
  }
}

function toStatementRunner(tx: Transaction): StatementRunner {
  return { query: async (sql, values) => await tx.$executeRawUnsafe(sql, ...values) };
}
