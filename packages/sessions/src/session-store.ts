import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { answered, type Database, toDatabaseError } from "@gatehouse/database";
import { GatewayError } from "@gatehouse/errors";
import type { Logger } from "@gatehouse/telemetry";
import type { ChatMessage } from "@gatehouse/providers";
import { queueUp, sessionBusy } from "./session-queue.ts";
import { sessionBounds as bounds, type SessionKey, type SessionTurn } from "./session.ts";

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
  /** Deletes all sessions of tokens that are gone. */
  forgetTokens(tokenIds: readonly number[]): Promise<void>;
}

type Pool = Database["pool"];

/** PostgreSQL, "Error Codes". */
const foreignKeyViolation = "23503";

export function createSessionStore({ pool }: Database, log: Logger): SessionStore {
  const queues = new Map<string, Promise<void>>();
  let sweeper: NodeJS.Timeout | undefined;
  const sweep = async () => {
    let deleted = 0;
    for (;;) {
      const rows = await deleteExpired(pool);
      deleted += rows;
      if (rows < bounds.sweepRowsMax) return deleted;
    }
  };
  return {
    start() {
      sweeper = setInterval(() => {
        sweep().catch((err: unknown) => log.warn({ err }, "Old sessions could not be deleted."));
      }, bounds.sweepMs);
      sweeper.unref();
    },
    stop: () => clearInterval(sweeper),
    sweep,
    forgetTokens: async (tokenIds) => await deleteOfTokens(pool, tokenIds),
    async takeTurn(key, signal) {
      const leaveQueue = await queueUp(queues, key, signal);
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

interface TakeOptions {
  readonly turnOf: string;
  readonly signal: AbortSignal;
}

/** Takes the session's row for this call, making it if need be; polls while a call on another replica has it. */
async function takeRow(pool: Pool, key: SessionKey, { turnOf, signal }: TakeOptions): Promise<number> {
  const waitUntil = performance.now() + bounds.turnWaitMs;
  for (;;) {
    if (signal.aborted) throw new GatewayError("cancelled", "The call was cancelled.");
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

/** @throws GatewayError `endpoint_not_found` for a call whose endpoint was deleted after it had been found. */
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

/** A session that has expired, and that the sweeper has not met yet, begins again. */
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
  const history = await answered(async () => await readHistory(pool, sessionId));
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
    // Bytes are known without reading a text that is stored apart, so no more than the bound is ever read.
    text: `SELECT role, content
             FROM (SELECT id, role, content, sum(octet_length(content)) OVER (ORDER BY id DESC) AS bytes
                     FROM (SELECT id, role, content FROM session_messages
                            WHERE session_id = $1 ORDER BY id DESC LIMIT $2) newest) counted
            WHERE bytes <= $3 ORDER BY id DESC`,
    values: [sessionId, bounds.messagesMax, bounds.bytesMax],
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

/**
 * One statement, so that a turn is stored whole or not at all. A call that lost its turn stores nothing. What is beyond the
 * newest messages and bytes of the session is deleted.
 */
async function commitTurn(pool: Pool, { sessionId, turnOf, messages }: CommitParts): Promise<void> {
  const { said, bytes } = newestOf(messages);
  await pool.query({
    name: "session-commit",
    text: `WITH turn AS (
             UPDATE sessions SET turn_of = NULL, turn_until = NULL, expires_at = now() + $5 * interval '1 ms'
              WHERE id = $1 AND turn_of = $2 RETURNING id),
           trimmed AS (
             DELETE FROM session_messages WHERE session_id IN (SELECT id FROM turn)
                AND id <= (SELECT max(id) FROM (
                             SELECT id, row_number() OVER newest AS messages,
                                    sum(octet_length(content)) OVER newest AS bytes
                               FROM session_messages WHERE session_id = $1 WINDOW newest AS (ORDER BY id DESC)) counted
                            WHERE messages > $6 OR bytes > $7))
           INSERT INTO session_messages (session_id, role, content)
           SELECT turn.id, said.role, said.content
             FROM turn, unnest($3::text[], $4::text[]) WITH ORDINALITY AS said(role, content, place) ORDER BY place`,
    values: [
      sessionId,
      turnOf,
      said.map(({ role }) => role),
      said.map(({ content }) => content),
      bounds.idleMs,
      bounds.messagesMax - said.length,
      bytes > bounds.bytesMax ? 0 : bounds.bytesMax - bytes,
    ],
  });
}

interface NewestMessages {
  readonly said: readonly { readonly role: string; readonly content: string }[];
  /** Of all messages, as far as they were counted. */
  readonly bytes: number;
}

/** The newest messages of a turn that a session may keep. Where one is too large, nothing before it is kept either. */
function newestOf(messages: readonly ChatMessage[]): NewestMessages {
  const said: { role: string; content: string }[] = [];
  let bytes = 0;
  for (const { role, content } of messages.slice(-bounds.messagesMax).toReversed()) {
    const text = String(content).replaceAll("\0", "");
    bytes += Buffer.byteLength(text);
    if (bytes > bounds.bytesMax) break;
    said.push({ role, content: text });
  }
  return { said: said.toReversed(), bytes };
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
