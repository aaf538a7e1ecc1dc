import { type Database, invalidCursor, pageLimitDefault, reading } from "@gatehouse/database";

/** A tool's approved definition, and the upstream's present one if it differs, as JSON text. */
export interface PinnedTool {
  readonly name: string;
  readonly approvedDefinition: string;
  /** Null where the upstream shows the approved definition. */
  readonly seenDefinition: string | null;
  /** Hash of `seenDefinition` (`hashDefinition`). */
  readonly seenHash: string | null;
  readonly approvedAt: Date;
}

interface PinnedToolQuery {
  readonly upstreamId: number;
  /** Whether to list only tools that differ from their approved definition. */
  readonly isChangedOnly: boolean;
  /** 0: the default. */
  readonly limit: number;
  readonly cursor: string;
}

/** Bytes of definitions per page: a message between services has 8 MiB, and one tool half a mebibyte. */
const pageBytesMax = 4 * 1024 * 1024;

interface PinnedToolRow extends PinnedTool {
  readonly hasMore: boolean;
}

/** By name; a page of large definitions ends before its limit. @throws GatewayError `invalid_argument` for an invalid cursor */
export async function listPinnedTools(
  { pool }: Database,
  { upstreamId, isChangedOnly, limit, cursor }: PinnedToolQuery,
): Promise<{ readonly items: readonly PinnedTool[]; readonly nextCursor?: string }> {
  const take = limit === 0 ? pageLimitDefault : limit;
  const { rows } = await reading(async () => {
    return await pool.query<PinnedToolRow>(
      `WITH found AS (
         SELECT * FROM tool_pins WHERE upstream_id = $1 AND name COLLATE "C" > $2 AND (NOT $3 OR seen_hash IS NOT NULL)
         ORDER BY name COLLATE "C" LIMIT $4
       ), sized AS (
         SELECT *, row_number() OVER in_order < count(*) OVER () AS "hasMore",
           sum(octet_length(approved_definition) + coalesce(octet_length(seen_definition), 0)) OVER in_order
             - octet_length(approved_definition) - coalesce(octet_length(seen_definition), 0) AS bytes_before
         FROM found WINDOW in_order AS (ORDER BY name COLLATE "C")
       )
       SELECT name, approved_definition AS "approvedDefinition", seen_definition AS "seenDefinition",
         seen_hash AS "seenHash",
         approved_at AS "approvedAt", "hasMore"
       FROM sized WHERE bytes_before < $5 ORDER BY name COLLATE "C"`,
      [upstreamId, decodeCursor(cursor), isChangedOnly, take + 1, pageBytesMax],
    );
  });
  const items = rows.slice(0, take);
  const last = items.at(-1);
  return last?.hasMore === true ? { items, nextCursor: encodeCursor(last.name) } : { items };
}

function encodeCursor(name: string): string {
  return Buffer.from(name).toString("base64url");
}

/** The name after which the page starts. */
function decodeCursor(cursor: string): string {
  const name = Buffer.from(cursor, "base64url").toString();
  if (encodeCursor(name) === cursor && !name.includes("\0")) return name;
  throw invalidCursor();
}
