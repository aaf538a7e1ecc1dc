import type pg from "pg";
import type { Database } from "./database.ts";
import { reading } from "./errors.ts";

/**
 * Longest wait of a caller for one answer of the database, milliseconds: with whatever else a call does, it is refused within
 * 2 s. A server that is frozen, or gone without a word, keeps its connections open and answers nothing on them.
 */
const answerTimeoutMs = 1_500;
/**
 * Wait for an answer where an older one is kept that can be given instead: a call may need several of them, one after the other.
 */
const renewTimeoutMs = 600;
/** Wait for a question about readiness, which is answered within a second whatever hangs. */
export const probeTimeoutMs = 800;

/** Bound of one statement, and the fate of an answer that comes after it. */
export interface AnsweredOptions<T> {
  readonly timeoutMs?: number;
  /** Called with an answer that comes after its caller was refused; undoes its effect. */
  readonly onLate?: (answer: T) => Promise<void>;
}

/**
 * The answer of the database, or an error that `isDatabaseUnavailable` knows when there is none in time. The question itself
 * stays with its connection, until the server answers or the pool gives it up.
 */
export async function answered<T>(work: () => Promise<T>, options: AnsweredOptions<T> = {}): Promise<T> {
  const { timeoutMs = answerTimeoutMs, onLate } = options;
  const { promise: silence, reject } = Promise.withResolvers<never>();
  const answer = work();
  const timer = setTimeout(() => {
    reject(new Error(`timeout expired: the database did not answer within ${timeoutMs} ms`));
    // A late failure, or one of undoing, leaves nothing to do: what is held in the database ends by itself.
    answer.then(onLate).catch(() => {});
  }, timeoutMs);
  try {
    return await Promise.race([answer, silence]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * As {@link answered}, for what is kept in memory: waits less where there is an older answer. Reports a database that is away,
 * or silent, as `unavailable`.
 */
export async function answeredForCache<T>(work: () => Promise<T>, isKept: boolean): Promise<T> {
  return await reading(async () => await answered(work, { timeoutMs: isKept ? renewTimeoutMs : answerTimeoutMs }));
}

/** The rows of one statement. @throws GatewayError `unavailable` where the database is away or does not answer in time. */
export async function readRows<Row extends pg.QueryResultRow>(
  { pool }: Pick<Database, "pool">,
  statement: pg.QueryConfig,
): Promise<readonly Row[]> {
  const { rows } = await reading(async () => await answered(async () => await pool.query<Row>(statement)));
  return rows;
}

const probes = new WeakMap<Database["pool"], Promise<unknown>>();

/** Whether the database answers now. Asks one question at a time, so that a server that is silent is not sent more and more. */
export async function isAnswering({ pool }: Pick<Database, "pool">): Promise<boolean> {
  const probe = probes.get(pool) ?? pool.query("SELECT 1").finally(() => void probes.delete(pool));
  probes.set(pool, probe);
  try {
    await answered(async () => await probe, { timeoutMs: probeTimeoutMs });
    return true;
  } catch {
    return false;
  }
}
