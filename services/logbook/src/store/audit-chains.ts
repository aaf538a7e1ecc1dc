import { type Database, reading } from "@gatehouse/database";
import type { ChainedRecord, ChainHead } from "../domain/audit-record.ts";

/** Rows read at once. */
const rowsMax = 5_000;

/** Columns in the order in which {@link toChained} takes them, all as text: turning them into values would take longer than hashing. */
const selected = `chain, sequence, encode(prev_hash, 'hex'), encode(hash, 'hex'), event_id,
  (extract(epoch FROM at) * 1000)::bigint, event, severity, actor, project_id, project_uuid, project_name, target, metadata,
  ip_address, traceparent`;

/**
 * One chain is read without its end as a condition: with it Postgres may take the rest of a chain for short, and then
 * gathers and sorts all of it for each page.
 */
const readNext = `SELECT ${selected} FROM audit_log WHERE (chain, sequence) > ($1, $2) ORDER BY chain, sequence LIMIT ${rowsMax}`;

const rawText = { getTypeParser: () => (value: unknown) => value };

/**
 * All rows of one chain, or of every chain, chain by chain, in the order of their sequence.
 * @param from rows after this one alone
 */
export async function* readChains(
  { pool }: Database,
  chain?: string,
  from: { readonly chain: string; readonly sequence: number } = { chain: chain ?? "", sequence: 0 },
): AsyncGenerator<readonly ChainedRecord[]> {
  const ask = async (after: readonly [chain: string, sequence: number]) => {
    const query = { text: readNext, values: [...after], rowMode: "array" as const, types: rawText };
    return (await reading(async () => await pool.query<(string | null)[]>(query))).rows.map(toChained);
  };
  let asked = ask([from.chain, from.sequence]);
  for (;;) {
    const read = await asked;
    const rows = chain === undefined ? read : read.filter((row) => row.chain === chain);
    const last = rows.at(-1);
    if (last === undefined) return;
    // Postgres reads the next rows while these are hashed.
    asked = rows.length < rowsMax ? Promise.resolve([]) : ask([last.chain, last.sequence]);
    asked.catch(() => {});
    yield rows;
  }
}

function toChained(row: readonly (string | null)[]): ChainedRecord {
  const text = (at: number) => row[at] ?? "";
  const projectId = row[9] ?? null;
  return {
    chain: text(0),
    sequence: Number(row[1]),
    prevHash: text(2),
    hash: text(3),
    record: {
      eventId: text(4),
      atMs: Number(row[5]),
      event: text(6),
      severity: text(7),
      actor: text(8),
      projectId: projectId === null ? null : Number(projectId),
      projectUuid: row[10] ?? null,
      projectName: row[11] ?? null,
      target: text(12),
      metadata: text(13),
      ipAddress: text(14),
      traceparent: text(15),
    },
  };
}

/** The heads of one chain, or of every chain. */
export async function readHeads({ pool }: Database, chain?: string): Promise<ReadonlyMap<string, ChainHead>> {
  const text = `SELECT chain, sequence::float8 AS sequence, encode(hash, 'hex') AS hash FROM audit_heads
WHERE $1::text IS NULL OR chain = $1`;
  const { rows } = await reading(
    async () => await pool.query<ChainHead & { readonly chain: string }>(text, [chain ?? null]),
  );
  return new Map(rows.map((row) => [row.chain, { sequence: row.sequence, hash: row.hash }]));
}
