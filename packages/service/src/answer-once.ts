import type { AsyncLocalStorage } from "node:async_hooks";
import { type Database, isDatabaseUnavailable, type PrismaTransaction, toDatabaseError } from "@gatehouse/database";
import { GatewayError, isGatewayError } from "@gatehouse/errors";
import { claimKey, findAnswer, keepAnswer } from "./answered-calls.ts";
import { HeldTransaction, type Transact } from "./held-transaction.ts";
import { type CallSeal, type KeyedCall, sealOfCall } from "./keyed-call.ts";

/** Commits everything that `run` writes together with its answer, and returns the answer. */
export type Commit = <Answer extends object>(run: () => Promise<Answer>) => Promise<Answer>;

/**
 * Makes a call once per key. The answer is kept for a day and commits with the change, so that a repeated call gets it even after
 * a crash. A refused call does not use up its key.
 * @param make checks the call, then runs it within the given commit
 * @throws GatewayError the call's refusal; `invalid_argument` where the key's first call had other arguments, `unavailable` while
 * a call with the key is running
 */
export type AnswerOnce = <Answer extends object>(
  call: KeyedCall,
  make: (commit: Commit) => Promise<Answer>,
) => Promise<Answer>;

/** Longest wait for a running call with the same key, milliseconds: longer than a transaction may take. */
const runningWaitMsMax = 15_000;

/** See {@link AnswerOnce}. @param joined the call's transaction, which writes within it join */
export function createAnswerOnce<Transaction extends PrismaTransaction>(
  database: Database,
  transact: Transact<Transaction>,
  joined: AsyncLocalStorage<HeldTransaction<Transaction>>,
): AnswerOnce {
  /** Running calls by key. Others with the key wait here rather than in the database, where each would hold a connection. */
  const running = new Map<string, Promise<unknown>>();

  async function attempt<Answer extends object>(
    sealing: CallSeal,
    make: (commit: Commit) => Promise<Answer>,
  ): Promise<Answer> {
    const held = new HeldTransaction(transact, async (transaction) => await claimKey(transaction, sealing));
    try {
      return await make(async (run) => {
        const answer = await joined.run(held, run);
        await held.commit(async (transaction) => await keepAnswer(transaction, sealing, answer));
        return answer;
      });
    } catch (err) {
      await held.rollBack();
      // Another replica may have made the call meanwhile, or the reply to the commit was lost.
      const known = await findAnswer(database, sealing).catch(unlessAway);
      if (known !== undefined) return known as Answer;
      throw toDatabaseError(err);
    }
  }

  return async <Answer extends object>(call: KeyedCall, make: (commit: Commit) => Promise<Answer>): Promise<Answer> => {
    const sealing = sealOfCall(call);
    const { id } = sealing;
    let patience: AbortSignal | undefined;
    for (;;) {
      const known = await findAnswer(database, sealing);
      if (known !== undefined) return known as Answer;
      const other = running.get(id);
      if (other === undefined) break;
      patience ??= AbortSignal.any([call.signal, AbortSignal.timeout(runningWaitMsMax)]);
      await untilSettled(other, patience);
    }
    const made = attempt(sealing, make);
    running.set(id, made);
    try {
      return await made;
    } finally {
      running.delete(id);
    }
  };
}

/** @throws GatewayError `unavailable` where it has not settled in time */
async function untilSettled(other: Promise<unknown>, patience: AbortSignal): Promise<void> {
  const { promise: impatience, resolve } = Promise.withResolvers<void>();
  const onAbort = () => resolve();
  patience.addEventListener("abort", onAbort);
  if (patience.aborted) resolve();
  await Promise.race([other.catch(() => {}), impatience]);
  patience.removeEventListener("abort", onAbort);
  if (!patience.aborted) return;
  const problem = "A call with this idempotency key is still running. Send it again with the same key.";
  throw new GatewayError("unavailable", problem, { retryAfterSeconds: 1 });
}

/** Ignores an unreachable database: the failure of the call says more than that of the search after it. */
function unlessAway(err: unknown): undefined {
  if (isDatabaseUnavailable(err) || (isGatewayError(err) && err.code === "unavailable")) return;
  throw err;
}
