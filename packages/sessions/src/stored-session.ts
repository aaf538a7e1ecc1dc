import type { Database } from "@gatehouse/database";
import type { ChatMessage } from "@gatehouse/providers";
import type { SealedMap } from "./placeholder-map.ts";
import { sessionBounds as bounds } from "./session.ts";

type Pool = Database["pool"];

interface StoredSession {
  /** Oldest first. */
  readonly history: readonly ChatMessage[];
  readonly map: SealedMap | undefined;
}

/** A message; or the map, the only row with a UUID. */
interface StoredRow {
  readonly uuid: string | null;
  readonly role: string;
  readonly content: string;
}

/** Reads a session's newest messages, within `sessionBounds`, and its sealed placeholders; both absent for an unknown id. */
export async function readSession(pool: Pool, sessionId: number): Promise<StoredSession> {
  const { rows } = await pool.query<StoredRow>({
    name: "session-history",
    // The size is known without reading a text that is stored separately (TOAST), so that no more than the bound is read.
    text: `SELECT NULL::uuid AS uuid, id, role, content
             FROM (SELECT id, role, content, sum(octet_length(content)) OVER (ORDER BY id DESC) AS bytes
                     FROM (SELECT id, role, content FROM session_messages
                            WHERE session_id = $1 ORDER BY id DESC LIMIT $2) newest) counted
            WHERE bytes <= $3
            UNION ALL SELECT uuid, 0, '', sealed FROM session_placeholders WHERE session_id = $1
            ORDER BY id`,
    values: [sessionId, bounds.messagesMax, bounds.bytesMax],
  });
  const history: ChatMessage[] = [];
  let map: SealedMap | undefined;
  for (const { uuid, role, content } of rows) {
    if (uuid === null) history.push({ role, content });
    else map = { uuid, sealed: content };
  }
  return { history, map };
}

interface CommitParts {
  readonly sessionId: number;
  readonly turnOf: string;
  readonly messages: readonly ChatMessage[];
  /** Undefined: the stored one stays. */
  readonly map: SealedMap | undefined;
}

/**
 * One statement, so that a turn is stored whole or not at all. A call that has lost its turn stores nothing. Messages beyond the
 * session's bounds are deleted.
 */
export async function commitTurn(pool: Pool, { sessionId, turnOf, messages, map }: CommitParts): Promise<void> {
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
                            WHERE messages > $6 OR bytes > $7)),
           map AS (
             INSERT INTO session_placeholders (uuid, session_id, sealed)
             SELECT $8::uuid, id, $9 FROM turn WHERE $9::text IS NOT NULL
             ON CONFLICT (session_id) DO UPDATE SET uuid = excluded.uuid, sealed = excluded.sealed)
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
      map?.uuid ?? null,
      map?.sealed ?? null,
    ],
  });
}

interface NewestMessages {
  readonly said: readonly { readonly role: string; readonly content: string }[];
  /** Bytes of the counted messages. */
  readonly bytes: number;
}

/** Newest messages of a turn within the session's bounds. Nothing older than a too large message is kept. */
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
