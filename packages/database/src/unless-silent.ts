import { setImmediate as nextTurn } from "node:timers/promises";
import { pause } from "@gatehouse/async";
import { GatewayError } from "@gatehouse/errors";
import pg from "pg";
import type { Database } from "./database.ts";

/** Time after which a running call probes the database, and pause between its probes, milliseconds. */
const probeAfterMs = 250;
/** Wait for a probe's answer after which the database counts as silent, milliseconds. */
const silenceMs = 1_500;
/** Step of that wait, milliseconds. A step that takes twice as long does not count: this process was busy, not the database. */
const stepMs = 250;
/** Longest probe, milliseconds: calls that begin meanwhile learn of the silence at once. */
const probeTimeoutMs = 5_000;

/** Outcomes of the pending probe of each pool; probes do not pile up at a silent server. */
const probes = new WeakMap<pg.Pool, Promise<"answered" | "silent">>();

/**
 * Bounds a call by the silence of the database rather than by the call's duration: a frozen or unreachable server refuses it within
 * 2 s, at once if its silence is known, and a slow statement of a server that answers goes on. Work that was given up
 * continues, so a change in it may still commit.
 * @throws GatewayError `unavailable` for a silent database; else as `work`
 */
export async function unlessSilent<T>({ pool }: Pick<Database, "pool">, work: () => Promise<T>): Promise<T> {
  const ended = new AbortController();
  const { promise: silence, reject } = Promise.withResolvers<never>();
  void watch(pool, ended.signal, () => reject(silent()));
  try {
    return await Promise.race([work(), silence]);
  } finally {
    ended.abort();
  }
}

async function watch(pool: pg.Pool, ended: AbortSignal, onSilent: () => void): Promise<void> {
  while (!ended.aborted) {
    if (!probes.has(pool)) await pause(probeAfterMs, ended);
    if (ended.aborted) return;
    const outcome = await (probes.get(pool) ?? beginProbe(pool));
    if (outcome === "silent" && !ended.aborted) return onSilent();
  }
}

/** Whether the database leaves a probe unanswered; one that refuses connections is not silent. */
export async function isSilent({ pool }: Pick<Database, "pool">): Promise<boolean> {
  return (await (probes.get(pool) ?? beginProbe(pool))) === "silent";
}

function beginProbe(pool: pg.Pool): Promise<"answered" | "silent"> {
  const over = new AbortController();
  const answer = probe(pool).finally(() => {
    probes.delete(pool);
    over.abort();
  });
  const outcome = Promise.race([answer.then(() => "answered" as const), untilSilent(over.signal)]);
  probes.set(pool, outcome);
  return outcome;
}

/** Waits for the silence, in steps after each of which the event loop reads what has arrived. */
async function untilSilent(over: AbortSignal): Promise<"answered" | "silent"> {
  for (let waitedMs = 0; waitedMs < silenceMs && !over.aborted;) {
    const fromMs = performance.now();
    await pause(stepMs, over);
    await nextTurn();
    if (performance.now() - fromMs < 2 * stepMs) waitedMs += stepMs;
  }
  return over.aborted ? "answered" : "silent";
}

/** Asks on a separate connection, since slow statements may hold all those of the pool. Never rejects. */
async function probe(pool: pg.Pool): Promise<void> {
  const client = new pg.Client(pool.options);
  client.on("error", () => {});
  const query: pg.QueryConfig & { readonly query_timeout: number } = {
    text: "SELECT 1",
    query_timeout: probeTimeoutMs,
  };
  try {
    await client.connect();
    await client.query(query);
    // The answer is known without the end of the connection.
    client.end().catch(() => {});
  } catch {
    // A silent server would not answer the end of the connection either.
    client.connection.stream.destroy();
  }
}

function silent(): GatewayError {
  const message =
    "The database does not answer. A change that this call makes may still be made: repeat it with the same idempotency key, or " +
    "look first.";
  return new GatewayError("unavailable", message, { retryAfterSeconds: 1 });
}
