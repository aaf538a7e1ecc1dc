import type { ChangeFeed, StatementRunner } from "./change-feed.ts";
import { toDatabaseError } from "./errors.ts";

/** A Prisma transaction, as far as this file needs it; every service has a client of its own. */
export interface PrismaTransaction {
  $executeRawUnsafe(sql: string, ...values: unknown[]): PromiseLike<number>;
}

export interface PrismaTransactions<Transaction extends PrismaTransaction> {
  $transaction<T>(
    work: (transaction: Transaction) => Promise<T>,
    bounds: { readonly maxWait: number; readonly timeout: number },
  ): Promise<T>;
}

/** Tells every replica of a change when, and only when, the transaction commits. */
export type Announce<Change> = (change: Change) => Promise<void>;

/** Runs a change of state: all of it commits with its announcements, or none does. */
export type Transactor<Transaction, Change> = <T>(
  work: (transaction: Transaction, announce: Announce<Change>) => Promise<T>,
) => Promise<T>;

const transactionBounds = { maxWait: 5_000, timeout: 10_000 };

/**
 * @param encode makes the text that travels to other replicas; see {@link ChangeFeed}.
 * @returns a transactor that reports an unreachable database as `unavailable`. This process hears of a change as soon as it
 * is committed.
 */
export function createTransactor<Transaction extends PrismaTransaction, Change>(
  prisma: PrismaTransactions<Transaction>,
  feed: ChangeFeed,
  encode: (change: Change) => string,
): Transactor<Transaction, Change> {
  return async (work) => {
    const payloads: string[] = [];
    const run = prisma.$transaction(async (transaction) => {
      const runner = toStatementRunner(transaction);
      return await work(transaction, async (change) => {
        const payload = encode(change);
        await feed.announce(runner, payload);
        payloads.push(payload);
      });
    }, transactionBounds);
    const result = await run.catch((err: unknown) => {
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

function toStatementRunner(transaction: PrismaTransaction): StatementRunner {
  return { query: async (sql, values) => await transaction.$executeRawUnsafe(sql, ...values) };
}
