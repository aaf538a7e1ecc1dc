import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";

/** Entries are stored within a second of their calls. */
const storedWithinMs = 20_000;
const lookMs = 100;

/**
 * Copies the largest block of the gateway log, a millisecond earlier each time and with new request ids, until there are `count`
 * entries; returns their project. @throws Error when there is no block
 */
export async function multiplyGatewayLog(client: pg.Client, count: number): Promise<string> {
  const { id, entries, project } = await largestBlock(client);
  const { rows } = await client.query<{ name: string }>(
    `SELECT quote_ident(column_name) AS name FROM information_schema.columns
      WHERE table_schema = 'logbook' AND table_name = 'gateway_log' AND column_name NOT IN ('id', 'first_at', 'last_at', 'request_ids')`,
  );
  const columns = rows.map(({ name }) => name).join(", ");
  await client.query(
    `INSERT INTO logbook.gateway_log (first_at, last_at, request_ids, ${columns})
     SELECT first_at - copy * interval '1 ms', last_at - copy * interval '1 ms',
            (SELECT array_agg(md5(copy || ':' || own)) FROM unnest(request_ids) AS own), ${columns}
       FROM logbook.gateway_log CROSS JOIN generate_series(1, $2::int) AS copy WHERE id = $1`,
    [id, Math.ceil(count / entries)],
  );
  await client.query("VACUUM ANALYZE logbook.gateway_log");
  return project;
}

async function largestBlock(client: pg.Client): Promise<{ id: string; entries: number; project: string }> {
  for (const until = performance.now() + storedWithinMs; performance.now() < until; await delay(lookMs)) {
    const { rows } = await client.query<{ id: string; entries: number; project: string }>(
      `SELECT id, cardinality(kinds) AS entries, project_uuids[1] AS project FROM logbook.gateway_log
        WHERE cardinality(kinds) > 100 ORDER BY id DESC LIMIT 1`,
    );
    if (rows[0]) return rows[0];
  }
  throw new Error("No block of the gateway log was stored.");
}

/** Appends copies of a project's last event to its chain, until there are `count`. Their hashes are invalid. */
export async function multiplyAuditLog(client: pg.Client, project: string, count: number): Promise<void> {
  const last = await lastSequence(client, project);
  await client.query(
    `INSERT INTO logbook.audit_log (chain, sequence, event_id, at, event, severity, actor, project_id, project_uuid,
                                    project_name, target, metadata, ip_address, traceparent, prev_hash, hash)
     SELECT chain, sequence + copy, gen_random_uuid()::text, at + copy * interval '1 ms', event, severity, actor, project_id,
            project_uuid, project_name, target, metadata, ip_address, traceparent, hash, sha256(hash)
       FROM logbook.audit_log CROSS JOIN generate_series(1, $3::int) AS copy WHERE chain = $1 AND sequence = $2`,
    [project, last, count],
  );
  await client.query("UPDATE logbook.audit_heads SET sequence = sequence + $2 WHERE chain = $1", [project, count]);
  await client.query("VACUUM ANALYZE logbook.audit_log");
}

async function lastSequence(client: pg.Client, project: string): Promise<string> {
  for (const until = performance.now() + storedWithinMs; performance.now() < until; await delay(lookMs)) {
    const { rows } = await client.query<{ sequence: string }>(
      "SELECT sequence FROM logbook.audit_heads WHERE chain = $1",
      [project],
    );
    if (rows[0]) return rows[0].sequence;
  }
  throw new Error("No event of the project was stored.");
}
