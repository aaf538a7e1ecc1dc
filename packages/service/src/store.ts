import { AsyncLocalStorage } from "node:async_hooks";
import { type NewAuditEvent, recordEvents } from "@gatehouse/audit";
import {
  type ChangeFeed,
  type Database,
  inTransaction,
  type PrismaTransaction,
  reading,
  type StatementRunner,
  toDatabaseError,
} from "@gatehouse/database";
import type pg from "pg";
import { type AnswerOnce, createAnswerOnce } from "./answer-once.ts";
import type { HeldTransaction } from "./held-transaction.ts";

/** The answer of a write, and everything that it changed: announced to all replicas and recorded as it commits. */
export interface WriteResult<Result, Change> {
  readonly result: Result;
  /** Named for every replica to read again. */
  readonly changes: readonly Change[];
  readonly events: readonly NewAuditEvent[];
}

/** The answer of a write that found everything as it was to be. */
export function unchanged<Result>(result: Result): WriteResult<Result, never> {
  return { result, changes: [], events: [] };
}

type ReadingMethod =
  | "aggregate"
  | "count"
  | "findFirst"
  | "findFirstOrThrow"
  | "findMany"
  | "findUnique"
  | "findUniqueOrThrow"
  | "groupBy";

/** A Prisma client whose models can only be read. A transaction of the client is one, too. */
export type Reading<Client> = {
  readonly [Model in keyof Client as Client[Model] extends { findMany: unknown } ? Model : never]: Pick<
    Client[Model],
    ReadingMethod & keyof Client[Model]
  >;
};

/** A Prisma client as far as a store needs it; every service has a generated one. */
export interface StoreClient<Transaction> {
  $transaction<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    bounds: { readonly maxWait: number; readonly timeout: number },
  ): Promise<Result>;
  $disconnect(): Promise<void>;
}

/**
 * A service's rows of configuration. The Prisma client is not within reach: `write` is the only way to change a row, and its
 * answer names the announcements and the audit events, so that neither can be forgotten. An unreachable database is `unavailable`.
 */
export interface Store<Client, Transaction, Change> {
  read<Result>(work: (client: Reading<Client>) => Promise<Result>): Promise<Result>;
  /** Runs a change in one transaction: all of it commits with its announcements and events, or none does. */
  write<Result>(work: (transaction: Transaction) => Promise<WriteResult<Result, Change>>): Promise<Result>;
  /** Runs a change by hand-written statements, likewise. */
  writeSql<Result>(work: (client: pg.PoolClient) => Promise<WriteResult<Result, Change>>): Promise<Result>;
  /**
   * Makes a call once for its key. Within its commit, what this store reads and writes is of one transaction, from the first write
   * on: its answer commits with it.
   */
  readonly answerOnce: AnswerOnce;
}

/** Client, pool and feed of one store. */
export interface StoreOptions<Client, Change> {
  readonly client: Client;
  readonly database: Database;
  readonly feed: ChangeFeed;
  /** Makes the text that travels to other replicas. */
  readonly encode: (change: Change) => string;
  /** Runs after a commit that recorded events. */
  readonly onRecorded: () => void;
}

/** Longest wait for a connection, and longest transaction, milliseconds. */
const transactionBounds = { maxWait: 5_000, timeout: 10_000 };

/** See {@link Store}. This process hears of a change as soon as it is committed. */
export function createStore<Client extends StoreClient<Transaction>, Transaction extends PrismaTransaction, Change>(
  options: StoreOptions<Client, Change>,
): Store<Client, Transaction, Change> {
  const { client, database } = options;

  const announce: Announce<Change> = async (runner, written) => await announceAndRecord(options, runner, written);
  const joined = new AsyncLocalStorage<HeldTransaction<Transaction>>();
  const held = () => (joined.getStore()?.isOpen === true ? joined.getStore() : undefined);

  async function writeWithin<Result>(
    within: HeldTransaction<Transaction>,
    work: (transaction: Transaction) => Promise<WriteResult<Result, Change>>,
  ): Promise<Result> {
    const transaction = await within.open();
    const written = await work(transaction);
    within.onCommitted(await announce(ofPrisma(transaction), written));
    return written.result;
  }

  return {
    async read(work) {
      const begun = await held()?.begun;
      // A transaction of the client is a client that reads.
      return await reading(async () => await work(begun === undefined ? client : (begun as unknown as Client)));
    },
    async write(work) {
      const within = held();
      if (within !== undefined) return await writeWithin(within, work);
      return await committed(async () => {
        return await client.$transaction(async (transaction) => {
          const written = await work(transaction);
          return [written.result, await announce(ofPrisma(transaction), written)];
        }, transactionBounds);
      });
    },
    async writeSql(work) {
      if (held() !== undefined) throw new TypeError("A call under an idempotency key writes by `write` alone.");
      return await committed(async () => {
        return await inTransaction(database, async (connection) => {
          const written = await work(connection);
          return [written.result, await announce(ofPg(connection), written)];
        });
      });
    },
    answerOnce: createAnswerOnce({
      database,
      transact: async (work) => await client.$transaction(work, transactionBounds),
      joined,
    }),
  };
}

type Announce<Change> = (runner: StatementRunner, written: WriteResult<unknown, Change>) => Promise<() => void>;

/** Announces and records within the transaction; @returns what is to be done once it is committed. */
async function announceAndRecord<Change>(
  { feed, encode, onRecorded }: Omit<StoreOptions<unknown, Change>, "client" | "database">,
  runner: StatementRunner,
  { changes, events }: WriteResult<unknown, Change>,
): Promise<() => void> {
  const payloads = changes.map(encode);
  for (const payload of payloads) await feed.announce(runner, payload);
  await recordEvents(runner, events);
  return () => {
    for (const payload of payloads) feed.deliver(payload);
    if (events.length > 0) onRecorded();
  };
}

async function committed<Result>(run: () => Promise<[Result, () => void]>): Promise<Result> {
  const [result, onCommitted] = await run().catch((err: unknown) => {
    throw toDatabaseError(err);
  });
  onCommitted();
  return result;
}

function ofPrisma(transaction: PrismaTransaction): StatementRunner {
  return { query: async (sql, values) => await transaction.$executeRawUnsafe(sql, ...values) };
}

function ofPg(client: pg.PoolClient): StatementRunner {
  return { query: async (sql, values) => await client.query(sql, [...values]) };
}
