import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { type Database, toDatabaseError } from "@gatehouse/database";
import { GatewayError } from "@gatehouse/errors";
import type { Logger } from "@gatehouse/telemetry";
import type { ChatMessage } from "../domain/completion.ts";
import { sessionBounds as bounds, type SessionKey, type SessionTurn } from "../domain/sessions/session.ts";

export interface SessionStore {
  start(): void;
  stop(): void;
  /**
   * Waits for the calls that came before on this session, on any replica, and takes the turn. A call that is aborted
   * while it waits leaves the queue. @throws GatewayError `unavailable` when its turn does not come in time.
   */
  takeTurn(key: SessionKey, signal: AbortSignal): Promise<SessionTurn>;
  /** Deletes sessions that were not used for long. @returns how many. */
  sweep(): Promise<number>;
}

type Pool = Database["pool"];

export function createSessionStore({ pool }: Database, log: Logger): SessionStore {
  const queues = new Map<string, Promise<void>>();
  let sweeper: NodeJS.Timeout | undefined;
  const sweep = async () => await deleteExpired(pool);
  return {
    start() {
      sweeper = setInterval(() => {
        sweep().catch((err: unknown) => log.warn({ err }, "Old sessions could not be deleted."));
      }, bounds.sweepMs);
      sweeper.unref();
    },
    stop: () => clearInterval(sweeper),
    sweep,
    async takeTurn(key, signal) {
      const leaveQueue = await queueUp(queues, key);
      try {
        const turnOf = randomUUID();
        const sessionId = await takeRow(pool, key, { turnOf, signal });
        return await openTurn({ pool, log, key, sessionId, turnOf, leaveQueue });
      } catch (err) {
        leaveQueue();
        throw toDatabaseError(err);
      }
    },
  };
}

/** Callers of one process come one after the other without asking the database. */
async function queueUp(queues: Map<string, Promise<void>>, key: SessionKey): Promise<() => void> {
  const name = `${key.tokenId}/${key.endpointUuid}/${key.sessionUuid}`;
  const before = queues.get(name);
  const { promise, resolve } = Promise.withResolvers<void>();
  queues.set(name, promise);
  await before;
  return () => {
    if (queues.get(name) === promise) queues.delete(name);
    resolve();
  };
}

interface TakeOptions {
  readonly turnOf: string;
  readonly signal: AbortSignal;
}

/** Takes the session's row for this call, making it if need be; polls while a call on another replica has it. */
async function takeRow(pool: Pool, key: SessionKey, { turnOf, signal }: TakeOptions): Promise<number> {
  const waitUntil = performance.now() + bounds.turnWaitMs;
  for (;;) {
    if (signal.aborted) throw new GatewayError("cancelled", "The call was cancelled.");
    const { rows } = await pool.query<{ id: number; expired: boolean }>({
      name: "session-take-turn",
      text: `INSERT INTO sessions (token_id, endpoint_uuid, session_uuid, turn_of, turn_until, expires_at)
             VALUES ($1, $2, $3, $4, now() + $5 * interval '1 ms', now() + $6 * interval '1 ms')
             ON CONFLICT (token_id, endpoint_uuid, session_uuid) DO UPDATE
                SET turn_of = excluded.turn_of, turn_until = excluded.turn_until
              WHERE sessions.turn_until IS NULL OR sessions.turn_until < now()
             RETURNING id, expires_at < now() AS expired`,
      values: [key.tokenId, key.endpointUuid, key.sessionUuid, turnOf, bounds.turnMs, bounds.idleMs],
    });
    const [row] = rows;
    if (row?.expired === true) await forgetMessages(pool, row.id);
    if (row !== undefined) return row.id;
    if (performance.now() > waitUntil) {
      throw new GatewayError("unavailable", "Another call on this session has not finished. Try again.", {
        retryAfterSeconds: 1,
      });
    }
    await delay(bounds.turnPollMs);
  }
}

/** A session that has expired, and that the sweeper has not met yet, begins anew. */
async function forgetMessages(pool: Pool, sessionId: number): Promise<void> {
  await pool.query("DELETE FROM session_messages WHERE session_id = $1", [sessionId]);
}

interface TurnParts {
  readonly pool: Pool;
  readonly log: Logger;
  readonly key: SessionKey;
  readonly sessionId: number;
  readonly turnOf: string;
  readonly leaveQueue: () => void;
}

async function openTurn({ pool, log, key, sessionId, turnOf, leaveQueue }: TurnParts): Promise<SessionTurn> {
  const history = await readHistory(pool, sessionId);
  const renewal = setInterval(() => {
    renewTurn(pool, sessionId, turnOf).catch((err: unknown) => log.warn({ err }, "A session's turn was not renewed."));
  }, bounds.turnRenewMs);
  const end = async (work: () => Promise<void>) => {
    clearInterval(renewal);
    try {
      await work();
    } catch (err) {
      throw toDatabaseError(err);
    } finally {
      leaveQueue();
    }
  };
  return {
    key,
    history,
    commit: async (messages) => await end(async () => await commitTurn(pool, { sessionId, turnOf, messages })),
    abandon: async () => await end(async () => await abandonTurn(pool, sessionId, turnOf)),
  };
}

async function readHistory(pool: Pool, sessionId: number): Promise<readonly ChatMessage[]> {
  const { rows } = await pool.query<{ role: string; content: string }>({
    name: "session-history",
    text: "SELECT role, content FROM session_messages WHERE session_id = $1 ORDER BY id DESC LIMIT $2",
    values: [sessionId, bounds.messagesMax],
  });
  return rows.toReversed();
}

async function renewTurn(pool: Pool, sessionId: number, turnOf: string): Promise<void> {
  await pool.query({
    name: "session-renew-turn",
    text: "UPDATE sessions SET turn_until = now() + $3 * interval '1 ms' WHERE id = $1 AND turn_of = $2",
    values: [sessionId, turnOf, bounds.turnMs],
  });
}

interface CommitParts {
  readonly sessionId: number;
  readonly turnOf: string;
  readonly messages: readonly ChatMessage[];
}

/** One statement, so that a turn is stored whole or not at all. A call that lost its turn stores nothing. */
async function commitTurn(pool: Pool, { sessionId, turnOf, messages }: CommitParts): Promise<void> {
  await pool.query({
    name: "session-commit",
    text: `WITH turn AS (
             UPDATE sessions SET turn_of = NULL, turn_until = NULL, expires_at = now() + $5 * interval '1 ms'
              WHERE id = $1 AND turn_of = $2 RETURNING id),
           trimmed AS (
             DELETE FROM session_messages WHERE session_id IN (SELECT id FROM turn)
                AND id <= (SELECT id FROM session_messages WHERE session_id = $1 ORDER BY id DESC OFFSET $6 LIMIT 1))
           INSERT INTO session_messages (session_id, role, content)
           SELECT turn.id, said.role, said.content
             FROM turn, unnest($3::text[], $4::text[]) WITH ORDINALITY AS said(role, content, place) ORDER BY place`,
    values: [
      sessionId,
      turnOf,
      messages.map(({ role }) => role),
      messages.map(({ content }) => String(content).replaceAll("\0", "")),
      bounds.idleMs,
      Math.max(0, bounds.messagesMax - messages.length),
    ],
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

async function deleteExpired(pool: Pool): Promise<number> {
  const { rowCount } = await pool.query({
    text: `DELETE FROM sessions WHERE id IN (
             SELECT id FROM sessions WHERE expires_at < now() AND (turn_until IS NULL OR turn_until < now()) LIMIT $1)`,
    values: [bounds.sweepRowsMax],
  });
  return rowCount ?? 0;
}
