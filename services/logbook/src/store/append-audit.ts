import { type Database, inTransaction, toDatabaseError } from "@gatehouse/database";
import type pg from "pg";
import {
  type AuditRecord,
  type ChainedRecord,
  type ChainHead,
  chainOf,
  emptyHead,
  extendChain,
  genesisHash,
  type SourcedRecord,
} from "../domain/audit-record.ts";
import { recordNumbers, type TakenNumber } from "./audit-numbers.ts";

/** Type and source of each column of a row. */
const columns: readonly (readonly [name: string, type: string, value: (row: ChainedRecord) => unknown])[] = [
  ["chain", "text", ({ chain }) => chain],
  ["sequence", "bigint", ({ sequence }) => sequence],
  ["event_id", "text", ({ record }) => record.eventId],
  ["at", "timestamptz", ({ record }) => new Date(record.atMs).toISOString()],
  ["event", "text", ({ record }) => record.event],
  ["severity", "text", ({ record }) => record.severity],
  ["actor", "text", ({ record }) => record.actor],
  ["project_id", "int", ({ record }) => record.projectId],
  ["project_uuid", "text", ({ record }) => record.projectUuid],
  ["project_name", "text", ({ record }) => record.projectName],
  ["target", "text", ({ record }) => record.target],
  ["metadata", "text", ({ record }) => record.metadata],
  ["ip_address", "text", ({ record }) => record.ipAddress],
  ["traceparent", "text", ({ record }) => record.traceparent],
  ["prev_hash", "text", ({ prevHash }) => prevHash],
  ["hash", "text", ({ hash }) => hash],
];

const names = columns.map(([name]) => name).join(", ");
const values = columns.map(([name]) => (name.endsWith("hash") ? `decode(${name}, 'hex')` : name)).join(", ");
const types = columns.map(([, type], at) => `$${at + 1}::${type}[]`).join(", ");

const insertRows = `INSERT INTO audit_log (${names})
SELECT ${values} FROM unnest(${types}) WITH ORDINALITY AS r(${names}, place) ORDER BY place`;

/** Locked in one order, so that replicas wait for one another and never for each other. */
const lockHeads = `SELECT chain, sequence::float8 AS sequence, encode(hash, 'hex') AS hash
FROM audit_heads WHERE chain = ANY($1::text[]) ORDER BY chain FOR UPDATE`;

const makeHeads = `INSERT INTO audit_heads (chain, sequence, hash)
SELECT chain, 0, decode('${genesisHash}', 'hex') FROM unnest($1::text[]) AS c(chain) ORDER BY chain ON CONFLICT DO NOTHING`;

const moveHeads = `UPDATE audit_heads h SET sequence = m.sequence, hash = decode(m.hash, 'hex')
FROM unnest($1::text[], $2::bigint[], $3::text[]) AS m(chain, sequence, hash) WHERE h.chain = m.chain`;

/** Growth of the chains by one batch. */
export interface Appended {
  /** The new heads of the chains that have grown. */
  readonly heads: ReadonlyMap<string, ChainHead>;
  /** Numbers that other events have. */
  readonly takenNumbers: readonly TakenNumber[];
}

/**
 * Adds events to their chains, in the order given, and notes their numbers; events that are there already are left out. All or none.
 * @throws GatewayError `unavailable` while Postgres is away.
 */
export async function appendAudit(database: Database, records: readonly SourcedRecord[]): Promise<Appended> {
  try {
    return await inTransaction(database, async (client) => {
      const heads = await append(
        client,
        records.map(({ record }) => record),
      );
      return { heads, takenNumbers: await recordNumbers(client, records) };
    });
  } catch (err) {
    throw toDatabaseError(err);
  }
}

async function append(client: pg.PoolClient, records: readonly AuditRecord[]): Promise<ReadonlyMap<string, ChainHead>> {
  const heads = await takeHeads(client, [...new Set(records.map(chainOf))].sort());
  const fresh = await withoutKnown(client, records);
  const grown = new Map<string, ChainHead>();
  const rows: ChainedRecord[] = [];
  for (const [chain, members] of Map.groupBy(fresh, chainOf)) {
    const chained = extendChain(chain, heads.get(chain) ?? emptyHead, members);
    rows.push(...chained);
    const last = chained.at(-1);
    if (last !== undefined) grown.set(chain, last);
  }
  if (rows.length === 0) return grown;
  await client.query(
    insertRows,
    columns.map(([, , value]) => rows.map(value)),
  );
  const moved = [...grown];
  await client.query(moveHeads, [
    moved.map(([chain]) => chain),
    moved.map(([, { sequence }]) => sequence),
    moved.map(([, { hash }]) => hash),
  ]);
  return grown;
}

async function takeHeads(client: pg.PoolClient, chains: readonly string[]): Promise<Map<string, ChainHead>> {
  await client.query(makeHeads, [chains]);
  const { rows } = await client.query<ChainHead & { readonly chain: string }>(lockHeads, [chains]);
  return new Map(rows.map(({ chain, sequence, hash }) => [chain, { sequence, hash }]));
}

/** With the chains locked, no one else adds an event of them meanwhile. */
async function withoutKnown(client: pg.PoolClient, records: readonly AuditRecord[]): Promise<readonly AuditRecord[]> {
  const { rows } = await client.query<{ event_id: string }>(
    "SELECT event_id FROM audit_log WHERE event_id = ANY($1::text[])",
    [records.map(({ eventId }) => eventId)],
  );
  const known = new Set(rows.map((row) => row.event_id));
  return records.filter(({ eventId }) => !known.has(eventId) && known.add(eventId));
}
