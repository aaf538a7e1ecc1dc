import { type Database, type PrismaTransaction, reading, type SharedMigration } from "@gatehouse/database";
import { GatewayError, invalidArgument } from "@gatehouse/errors";
import type { Logger } from "@gatehouse/telemetry";
import type { CallSeal } from "./keyed-call.ts";
import type { Part } from "./part.ts";

/** Life of a key. */
const keptHours = 24;
/** Interval of the removal of expired rows, milliseconds. */
const sweepIntervalMs = 10 * 60_000;
const sweptMax = 1_000;

/** Not in the service's `schema.prisma`, since only this file has statements for it. */
export const answeredCallsMigration: SharedMigration = {
  name: "20261127110000_answered_calls",
  // Released: must not change, since installations are compared by its checksum.
  sql: `-- Answers of calls that carried an idempotency key, sealed under keys that only their callers have.
-- CreateTable
CREATE TABLE "answered_calls" (
    "id" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "sealed_answer" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "answered_calls_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "answered_calls_expires_at_idx" ON "answered_calls"("expires_at");
`,
};

/** Waits for a transaction that holds the row, and replaces an expired one. */
const claimRow = `INSERT INTO answered_calls (id, fingerprint, sealed_answer, expires_at)
VALUES ($1, $2, '', clock_timestamp() + interval '${keptHours} hours')
ON CONFLICT (id) DO UPDATE SET fingerprint = EXCLUDED.fingerprint, sealed_answer = '', expires_at = EXCLUDED.expires_at
WHERE answered_calls.expires_at <= clock_timestamp()`;

/**
 * Claims the key within the change's transaction, so that of two calls with the key one changes anything.
 * @throws GatewayError `unavailable` where another replica has answered the call meanwhile
 */
export async function claimKey(transaction: PrismaTransaction, { id, fingerprint }: CallSeal): Promise<void> {
  if ((await transaction.$executeRawUnsafe(claimRow, id, fingerprint)) > 0) return;
  const problem = "A call with this idempotency key has just been answered. Send it again with the same key.";
  throw new GatewayError("unavailable", problem, { retryAfterSeconds: 1 });
}

/** Stores the answer in the change's transaction. */
export async function keepAnswer(transaction: PrismaTransaction, { id, seal }: CallSeal, answer: object) {
  await transaction.$executeRawUnsafe("UPDATE answered_calls SET sealed_answer = $2 WHERE id = $1", id, seal(answer));
}

/**
 * Answer of a committed call with the key; undefined where there is none.
 * @throws GatewayError `invalid_argument` where that call had other arguments, `unavailable`
 */
export async function findAnswer({ pool }: Database, { id, fingerprint, open }: CallSeal): Promise<object | undefined> {
  const { rows } = await reading(
    async () =>
      await pool.query<{ readonly fingerprint: string; readonly sealed_answer: string }>(
        "SELECT fingerprint, sealed_answer FROM answered_calls WHERE id = $1 AND expires_at > clock_timestamp()",
        [id],
      ),
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  if (row.fingerprint !== fingerprint) {
    const problem = "This idempotency key was used for a call with other arguments. Send a new key with each change.";
    throw invalidArgument(problem);
  }
  return open(row.sealed_answer);
}

/** Deletes expired answers, at the start and periodically. */
export function createAnswerSweep({ pool }: Database, log: Logger): Part {
  const text = `DELETE FROM answered_calls WHERE id IN (SELECT id FROM answered_calls
WHERE expires_at <= clock_timestamp() ORDER BY expires_at LIMIT ${sweptMax} FOR UPDATE SKIP LOCKED)`;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const stopping = new AbortController();
  async function sweep(): Promise<void> {
    while (!stopping.signal.aborted && ((await pool.query(text)).rowCount ?? 0) === sweptMax);
  }
  function next(): void {
    running = sweep()
      .catch((err: unknown) => log.warn({ err }, "Expired answers of calls could not be removed; trying again later."))
      .finally(() => {
        if (!stopping.signal.aborted) timer = setTimeout(next, sweepIntervalMs).unref();
      });
  }
  return {
    name: "expired answers",
    start: next,
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
}
