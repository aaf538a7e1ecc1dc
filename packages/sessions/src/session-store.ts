import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { Repetition } from "@gatehouse/async";
import { answered, type Database, toDatabaseError } from "@gatehouse/database";
import { callCancelled, GatewayError } from "@gatehouse/errors";
import type { Logger } from "@gatehouse/telemetry";
import type { Keyring } from "@gatehouse/vault";
import { openMap, type SealedMap, sealMap } from "./placeholder-map.ts";
import { queueUp, sessionBusy } from "./session-queue.ts";
import { sessionBounds as bounds, type SessionKey, type SessionPlaceholder, type SessionTurn } from "./session.ts";
import { commitTurn, readSession } from "./stored-session.ts";

/** Conversations that callers resume by an id. Expired ones are deleted in the background. */
export interface SessionStore {
  start(): void;
  /** Resolves when a deletion under way has ended. */
  stop(): Promise<void>;
  /**
   * Waits for earlier calls on this session, on any replica, and takes the turn. A call that is aborted leaves the queue. @throws
   * GatewayError `unavailable` when its turn does not come in time.
   */
  takeTurn(key: SessionKey, signal: AbortSignal): Promise<SessionTurn>;
  /** Deletes idle sessions, until the signal is aborted. @returns their number. */
  sweep(stopping?: AbortSignal): Promise<number>;
  forgetTokens(tokenIds: readonly number[]): Promise<void>;
}

type Pool = Database["pool"];

/** PostgreSQL, "Error Codes". */
const foreignKeyViolation = "23503";

/** Creates the store; the keyring seals the values of placeholders. */
export function createSessionStore({ pool }: Database, log: Logger, keyring: Keyring): SessionStore {
  const queues = new Map<string, Promise<void>>();
  const sweep = async (stopping?: AbortSignal) => {
    let deleted = 0;
    for (;;) {
      const rows = await deleteExpired(pool);
      deleted += rows;
      if (rows < bounds.sweepRowsMax || stopping?.aborted === true) return deleted;
    }
  };
  const removal = new Repetition({
    intervalMs: bounds.sweepMs,
    work: sweep,
    onFailure: (err) => log.warn({ err }, "Old sessions could not be deleted."),
  });
  return {
    start: () => removal.start(),
    stop: async () => await removal.stop(),
    sweep,
    forgetTokens: async (tokenIds) => await deleteOfTokens(pool, tokenIds),
    async takeTurn(key, signal) {
      const leaveQueue = await queueUp(queues, key, signal);
      try {
        const turnOf = randomUUID();
        const sessionId = await takeRow(pool, key, turnOf, signal);
        return await openTurn({ pool, log, keyring, key, sessionId, turnOf, leaveQueue });
      } catch (err) {
        leaveQueue();
        throw toDatabaseError(err);
      }
    },
  };
}

/** Takes the session's row for this call, creating it if necessary; polls while a call on another replica has it. */
async function takeRow(pool: Pool, key: SessionKey, turnOf: string, signal: AbortSignal): Promise<number> {
  const waitUntil = performance.now() + bounds.turnWaitMs;
  for (;;) {
    if (signal.aborted) throw callCancelled();
    const query = {
      name: "session-take-turn",
      text: `INSERT INTO sessions (token_id, endpoint_uuid, session_uuid, turn_of, turn_until, expires_at)
             VALUES ($1, $2, $3, $4, now() + $5 * interval '1 ms', now() + $6 * interval '1 ms')
             ON CONFLICT (token_id, endpoint_uuid, session_uuid) DO UPDATE
                SET turn_of = excluded.turn_of, turn_until = excluded.turn_until
              WHERE sessions.turn_until IS NULL OR sessions.turn_until < now()
             RETURNING id, expires_at < now() AS expired`,
      values: [key.tokenId, key.endpointUuid, key.sessionUuid, turnOf, bounds.turnMs, bounds.idleMs],
    };
    const rows = await queryTurn(pool, query, turnOf);
    const [row] = rows;
    if (row?.expired === true) await answered(async () => await forgetMessages(pool, row.id));
    if (row !== undefined) return row.id;
    if (performance.now() > waitUntil) throw sessionBusy();
    await delay(bounds.turnPollMs);
  }
}

interface TurnRow {
  readonly id: number;
  readonly expired: boolean;
}

interface TurnQuery {
  readonly name: string;
  readonly text: string;
  readonly values: (string | number)[];
}

/** @throws GatewayError `endpoint_not_found` for a call whose endpoint was deleted meanwhile. */
async function queryTurn(pool: Pool, query: TurnQuery, turnOf: string): Promise<readonly TurnRow[]> {
  const onLate = async ({ rows: [row] }: { readonly rows: readonly TurnRow[] }) => {
    if (row !== undefined) await abandonTurn(pool, row.id, turnOf);
  };
  try {
    return (await answered(async () => await pool.query<TurnRow>(query), { onLate })).rows;
  } catch (cause) {
    if ((cause as { readonly code?: unknown }).code !== foreignKeyViolation) throw cause;
    throw new GatewayError("endpoint_not_found", "The endpoint was deleted.", { cause });
  }
}

/** Restarts a session that has expired and has not been deleted yet. */
async function forgetMessages(pool: Pool, sessionId: number): Promise<void> {
  await pool.query("DELETE FROM session_messages WHERE session_id = $1", [sessionId]);
  await pool.query("DELETE FROM session_placeholders WHERE session_id = $1", [sessionId]);
}

interface TurnParts {
  readonly pool: Pool;
  readonly log: Logger;
  readonly keyring: Keyring;
  readonly key: SessionKey;
  readonly sessionId: number;
  readonly turnOf: string;
  readonly leaveQueue: () => void;
}

async function openTurn({ pool, log, keyring, key, sessionId, turnOf, leaveQueue }: TurnParts): Promise<SessionTurn> {
  const { history, map } = await answered(async () => await readSession(pool, sessionId));
  const renewal = setInterval(() => {
    renewTurn(pool, sessionId, turnOf).catch((err: unknown) => log.warn({ err }, "A session's turn was not renewed."));
  }, bounds.turnRenewMs);
  const end = async (work: () => Promise<void>) => {
    clearInterval(renewal);
    try {
      await answered(work);
    } catch (err) {
      throw toDatabaseError(err);
    } finally {
      leaveQueue();
    }
  };
  const known = map === undefined ? [] : openedMap(map, { keyring, log, key, sessionId });
  return {
    key,
    history,
    placeholders: known ?? [],
    async commit(messages, placeholders) {
      // Another replica with a newer keyring may open a map that does not open here.
      const newMap = placeholders && known && sealMap(keyring, key, placeholders);
      await end(async () => await commitTurn(pool, { sessionId, turnOf, messages, map: newMap }));
    },
    abandon: async () => await end(async () => await abandonTurn(pool, sessionId, turnOf)),
  };
}

/** Undefined where the map does not open: the session continues, and its placeholders stay unreplaced. */
function openedMap(
  map: SealedMap,
  { keyring, log, key, sessionId }: Pick<TurnParts, "keyring" | "log" | "key" | "sessionId">,
): readonly SessionPlaceholder[] | undefined {
  try {
    return openMap(keyring, key, map);
  } catch (err) {
    log.error({ err, session_id: sessionId }, "The placeholders of a session do not open with this keyring.");
    return undefined;
  }
}

async function renewTurn(pool: Pool, sessionId: number, turnOf: string): Promise<void> {
  await pool.query({
    name: "session-renew-turn",
    text: "UPDATE sessions SET turn_until = now() + $3 * interval '1 ms' WHERE id = $1 AND turn_of = $2",
    values: [sessionId, turnOf, bounds.turnMs],
  });
}

async function abandonTurn(pool: Pool, sessionId: number, turnOf: string): Promise<void> {
  await pool.query({
    name: "session-abandon",
    text: `WITH unused AS (
             DELETE FROM sessions WHERE id = $1 AND turn_of = $2
                AND NOT EXISTS (SELECT FROM session_messages WHERE session_id = $1) RETURNING id)
           UPDATE sessions SET turn_of = NULL, turn_until = NULL
            WHERE id = $1 AND turn_of = $2 AND NOT EXISTS (SELECT FROM unused)`,
    values: [sessionId, turnOf],
  });
}

async function deleteOfTokens(pool: Pool, tokenIds: readonly number[]): Promise<void> {
  await pool.query("DELETE FROM sessions WHERE token_id = ANY($1::int[])", [tokenIds]);
}

async function deleteExpired(pool: Pool): Promise<number> {
  const { rowCount } = await pool.query({
    text: `DELETE FROM sessions WHERE id IN (
             SELECT id FROM sessions WHERE expires_at < now() AND (turn_until IS NULL OR turn_until < now()) LIMIT $1)`,
    values: [bounds.sweepRowsMax],
  });
  return rowCount ?? 0;
}
