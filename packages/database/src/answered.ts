import type pg from "pg";
import type { Database } from "./database.ts";
import { reading } from "./errors.ts";
import { foreignDatabaseProblem } from "./foreign-database.ts";

/**
 * Longest wait of a caller for one answer of the database, milliseconds, so that a call is refused within 2 s in all. A frozen or
 * unreachable server keeps its connections open without answering.
 */
const answerTimeoutMs = 1_500;
/** Wait where a cached older answer exists: a call may need several, one after the other. */
const renewTimeoutMs = 600;
/** Wait of a readiness check, which answers within a second in any case. */
export const probeTimeoutMs = 800;

/** Bound of one statement, and the handling of a late answer. */
export interface AnsweredOptions<T> {
  readonly timeoutMs?: number;
  /** Called with an answer that comes after its caller was refused; undoes its effect. */
  readonly onLate?: (answer: T) => Promise<void>;
}

/**
 * Bounds the wait for a statement: rejects with an error that `isDatabaseUnavailable` recognises when there is no answer in time.
 * The statement stays on its connection until the server answers or the pool gives it up.
 */
export async function answered<T>(work: () => Promise<T>, options: AnsweredOptions<T> = {}): Promise<T> {
  const { timeoutMs = answerTimeoutMs, onLate } = options;
  const { promise: silence, reject } = Promise.withResolvers<never>();
  const answer = work();
  const timer = setTimeout(() => {
    reject(new Error(`timeout expired: the database did not answer within ${timeoutMs} ms`));
    // A late failure, or a failed undo, needs nothing: locks and transactions in the database end by themselves.
    answer.then(onLate).catch(() => {});
  }, timeoutMs);
  try {
    return await Promise.race([answer, silence]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * As {@link answered}, for cached values: waits less where an older value exists. Converts an unreachable or silent database to
 * `unavailable`.
 */
export async function answeredForCache<T>(work: () => Promise<T>, isKept: boolean): Promise<T> {
  return await reading(async () => await answered(work, { timeoutMs: isKept ? renewTimeoutMs : answerTimeoutMs }));
}

/** Rows of one statement. @throws GatewayError `unavailable` where the database is away or does not answer in time. */
export async function readRows<Row extends pg.QueryResultRow>(
  { pool }: Pick<Database, "pool">,
  statement: pg.QueryConfig,
): Promise<readonly Row[]> {
  const { rows } = await reading(async () => await answered(async () => await pool.query<Row>(statement)));
  return rows;
}

const probes = new WeakMap<Database["pool"], Promise<unknown>>();

/** Problem of an unavailable database, where its host has no better text. */
const databaseProblem = "the database is not available";

/**
 * Reasons why the database cannot be used now, for operators; none where it answers. Sends one probe at a time, so that probes do
 * not pile up at a silent server.
 * @param problem names the server and a remedy
 */
export async function findDatabaseProblems(
  { pool }: Pick<Database, "pool">,
  problem: string = databaseProblem,
): Promise<readonly string[]> {
  const probe = probes.get(pool) ?? pool.query("SELECT 1").finally(() => void probes.delete(pool));
  probes.set(pool, probe);
  try {
    await answered(async () => await probe, { timeoutMs: probeTimeoutMs });
    return [];
  } catch (err) {
    const foreign = foreignDatabaseProblem(err);
    return [problem, ...(foreign === undefined ? [] : [foreign])];
  }
}
