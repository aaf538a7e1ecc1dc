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

/** The answer of a write, and its changes: announced to all replicas and recorded as it commits. */
export interface WriteResult<Result, Change> {
  readonly result: Result;
  /** Keys of changed rows, which every replica reads again. */
  readonly changes: readonly Change[];
  readonly events: readonly NewAuditEvent[];
}

/** Result of a write that changed nothing. */
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

/** A Prisma client, or its transaction, whose models can only be read. */
export type Reading<Client> = {
  readonly [Model in keyof Client as Client[Model] extends { findMany: unknown } ? Model : never]: Pick<
    Client[Model],
    ReadingMethod & keyof Client[Model]
  >;
};

/** The part of a generated Prisma client that a store needs. */
export interface StoreClient<Transaction> {
  $transaction<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    bounds: { readonly maxWait: number; readonly timeout: number },
  ): Promise<Result>;
  $disconnect(): Promise<void>;
}

/**
 * A service's rows of configuration. The Prisma client is hidden: `write` is the only way to change a row, and its result names
 * the announcements and the audit events, so that neither can be forgotten. An unreachable database is `unavailable`.
 */
export interface Store<Client, Transaction, Change> {
  read<Result>(work: (client: Reading<Client>) => Promise<Result>): Promise<Result>;
  /** Runs a change in one transaction, which commits with its announcements and events or not at all. */
  write<Result>(work: (transaction: Transaction) => Promise<WriteResult<Result, Change>>): Promise<Result>;
  /** As `write`, for hand-written statements. */
  writeSql<Result>(work: (client: pg.PoolClient) => Promise<WriteResult<Result, Change>>): Promise<Result>;
  /**
   * Makes a call once per key. Within its commit, all reads and writes of this store belong to one transaction from the first
   * write on, which also stores its answer.
   */
  readonly answerOnce: AnswerOnce;
}

/** Resources of one {@link Store}; `onRecorded` is called after each commit with audit events, and wakes the relay. */
interface StoreOptions<Client, Change> {
  readonly client: Client;
  readonly database: Database;
  readonly feed: ChangeFeed;
  /** Encodes a change for other replicas. */
  readonly encode: (change: Change) => string;
  readonly onRecorded: () => void;
}

/** Longest wait for a connection, and longest transaction, milliseconds. */
const transactionBounds = { maxWait: 5_000, timeout: 10_000 };

/** See {@link Store}. This process sees a change as soon as it is committed. */
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
      // A transaction has the client's read methods.
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
    answerOnce: createAnswerOnce(database, async (work) => await client.$transaction(work, transactionBounds), joined),
  };
}

type Announce<Change> = (runner: StatementRunner, written: WriteResult<unknown, Change>) => Promise<() => void>;

/** Announces and records within the transaction. @returns work for after the commit. */
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
