import { type Database, inTransaction } from "@gatehouse/database";
import { GatewayError } from "@gatehouse/errors";
import type pg from "pg";
import type { OutboxBounds } from "./outbox-bounds.ts";

/** Row of `audit_outbox` as the relay reads it, with Postgres' column names; `body` is the JSON of an `OutboxBody`. */
export interface OutboxRow {
  /** Postgres' bigint, as text. */
  readonly seq: string;
  /** Postgres' bigint, as text; null where a relay of an earlier version has published the event. */
  readonly number: string | null;
  readonly event_id: string;
  readonly body: string;
  readonly created_at: Date;
  readonly attempts: number;
}

/** Kind of events to publish: new ones, or ones not confirmed in time. */
export type Due = "new" | "again";

interface PublishOptions {
  readonly publish: (rows: readonly OutboxRow[]) => Promise<void>;
  /** Longest delay before unconfirmed events are published again. */
  readonly againAfterMaxMs: number;
}

/** `busy`: another replica is publishing. */
type PublishOutcome = { readonly kind: "busy" } | { readonly kind: "published"; readonly count: number };

/** Events that wait for the broker, or for reports of consumers. Ages in milliseconds. */
export interface Backlog {
  readonly unpublished: number;
  readonly unpublishedAgeMs: number;
  readonly unconfirmed: number;
  readonly unconfirmedAgeMs: number;
}

/** Whether an outbox has events never published, events not stored by every consumer, and events to publish again now. */
export interface OutboxLook {
  readonly hasUnpublished: boolean;
  readonly hasUnconfirmed: boolean;
  readonly hasAgain: boolean;
}

/** Statements of the relay. All lock rows in the order of `seq`, so that replicas cannot deadlock. */
export interface OutboxStore {
  /** A single statement, the only one while the outbox is idle. */
  look(): Promise<OutboxLook>;
  /**
   * Numbers the next batch of new events and commits, so that a number is never reused after a failed publishing.
   * @returns false while another replica is publishing.
   * @throws GatewayError where the last number is lost.
   */
  assignNumbers(service: string): Promise<boolean>;
  /** Passes the next batch to `publish`, in order, and marks it published if that resolves. One replica at a time. */
  publishNext(due: Due, options: PublishOptions): Promise<PublishOutcome>;
  /** Shortens delays beyond the usual longest one to none. @returns number of events, at most a batch. */
  hasten(): Promise<number>;
  /** Records the consumers that have stored events. */
  confirm(ids: readonly string[], storedBy: readonly string[]): Promise<void>;
  /** @returns number of deleted rows, at most a batch. */
  deleteOld(): Promise<number>;
  measure(): Promise<Backlog>;
}

/** Arbitrary constant; together with the table's id it identifies the lock for publishing. */
const relayLockId = 5_116_202;

const unconfirmed = "published_at IS NOT NULL AND confirmed_at IS NULL";
const conditions: Readonly<Record<Due, string>> = {
  new: "published_at IS NULL AND number IS NOT NULL",
  again: `${unconfirmed} AND republish_at <= clock_timestamp()`,
};

/** Events count as unpublished with or without a number. The statement's time, unlike the clock's, can use the index. */
const look = {
  name: "audit-outbox-look",
  text: `SELECT EXISTS (SELECT FROM audit_outbox WHERE published_at IS NULL) AS "hasUnpublished",
  EXISTS (SELECT FROM audit_outbox WHERE ${unconfirmed}) AS "hasUnconfirmed",
  EXISTS (SELECT FROM audit_outbox WHERE ${unconfirmed} AND republish_at <= statement_timestamp()) AS "hasAgain"`,
};

/**
 * Not a sequence, which has gaps after rollbacks. The number is also written into the body, for a relay of an earlier version
 * that publishes beside this one.
 */
const numberNext = ({ batchSizeMax }: OutboxBounds) => `
WITH next AS (SELECT seq, number FROM audit_outbox WHERE published_at IS NULL ORDER BY seq LIMIT ${batchSizeMax}),
due AS (SELECT seq, row_number() OVER (ORDER BY seq) AS place FROM next WHERE number IS NULL),
numbers AS (
  UPDATE audit_outbox_numbers SET last = last + (SELECT count(*) FROM due) WHERE EXISTS (SELECT 1 FROM due)
  RETURNING last - (SELECT count(*) FROM due) AS before
)
UPDATE audit_outbox o SET number = n.before + d.place,
  body = '{"source":' || json_build_object('service', $1::text, 'number', n.before + d.place) || ',' || substr(o.body, 2)
FROM due d, numbers n WHERE o.seq = d.seq`;

const confirm = {
  name: "audit-outbox-confirm",
  text: `
UPDATE audit_outbox o SET
  confirmed_by = o.confirmed_by || ARRAY(SELECT unnest($2::text[]) EXCEPT SELECT unnest(o.confirmed_by)),
  confirmed_at = CASE WHEN o.confirmed_by || $2::text[] @> $3::text[] THEN clock_timestamp() END
FROM (
  SELECT seq FROM audit_outbox WHERE event_id = ANY($1::uuid[]) AND confirmed_at IS NULL ORDER BY seq FOR UPDATE
) due WHERE o.seq = due.seq`,
};

/** Statements on `audit_outbox`. One relay at a time numbers and publishes, under an advisory lock. */
export function createOutboxStore({ pool }: Database, consumers: readonly string[], bounds: OutboxBounds): OutboxStore {
  return {
    async look() {
      const { rows } = await pool.query<OutboxLook>(look);
      return rows[0] ?? { hasUnpublished: false, hasUnconfirmed: false, hasAgain: false };
    },
    assignNumbers: async (service) =>
      await inTransaction({ pool }, async (client) => {
        if (!(await takeLock(client, bounds))) return false;
        const numbering = { name: "audit-outbox-number", text: numberNext(bounds), values: [service] };
        const { rowCount } = await client.query(numbering);
        if (rowCount === 0) await requireNumbers(client, service);
        return true;
      }),
    publishNext: async (due, { publish, againAfterMaxMs }) =>
      await inTransaction({ pool }, async (client) => {
        if (!(await takeLock(client, bounds))) return { kind: "busy" };
        const rows = await selectDue(client, due, bounds);
        if (rows.length === 0) return { kind: "published", count: 0 };
        await publish(rows);
        await markPublished(client, rows, { ...bounds, republishAfterMaxMs: againAfterMaxMs });
        return { kind: "published", count: rows.length };
      }),
    async hasten() {
      const late = `clock_timestamp() + interval '${bounds.republishAfterMaxMs} milliseconds'`;
      const text = `UPDATE audit_outbox SET republish_at = clock_timestamp() WHERE seq IN (
  SELECT seq FROM audit_outbox WHERE ${unconfirmed} AND republish_at > ${late}
  ORDER BY republish_at LIMIT ${bounds.batchSizeMax} FOR UPDATE SKIP LOCKED)`;
      return (await pool.query(text)).rowCount ?? 0;
    },
    async confirm(ids, storedBy) {
      await pool.query({ ...confirm, values: [ids, storedBy, consumers] });
    },
    async deleteOld() {
      const text = `DELETE FROM audit_outbox WHERE seq IN (
  SELECT seq FROM audit_outbox WHERE confirmed_at < clock_timestamp() - interval '${bounds.keepConfirmedMs} milliseconds'
  ORDER BY confirmed_at LIMIT ${bounds.cleanBatchMax} FOR UPDATE SKIP LOCKED)`;
      return (await pool.query(text)).rowCount ?? 0;
    },
    measure: async () => await measure(pool, bounds),
  };
}

/**
 * Takes the lock for publishing, until the transaction ends. It keeps a service's events in order across replicas; rows stay
 * unlocked, so that reports can be written.
 */
async function takeLock(client: pg.PoolClient, { transactionIdleMaxMs }: OutboxBounds): Promise<boolean> {
  await client.query(`SET LOCAL idle_in_transaction_session_timeout = ${transactionIdleMaxMs}`);
  const { rows } = await client.query<{ readonly mine: boolean }>({
    name: "audit-outbox-lock",
    text: "SELECT pg_try_advisory_xact_lock($1, 'audit_outbox'::regclass::oid::int) AS mine",
    values: [relayLockId],
  });
  return rows[0]?.mine === true;
}

/**
 * Checks for the row of the last number, which a restore may lack. It is not recreated: numbers from 1 would repeat those of
 * other events and hide withheld ones.
 */
async function requireNumbers(client: pg.PoolClient, service: string): Promise<void> {
  const { rows } = await client.query<{ readonly schema: string }>({
    name: "audit-outbox-numbers-lost",
    text: `SELECT current_schema() AS schema FROM audit_outbox
WHERE published_at IS NULL AND number IS NULL AND NOT EXISTS (SELECT FROM audit_outbox_numbers) LIMIT 1`,
  });
  const [lost] = rows;
  if (lost === undefined) return;
  const table = `${lost.schema}.audit_outbox_numbers`;
  throw new GatewayError(
    "internal",
    `${table} is empty, so audit events get no numbers and are not published. Insert the last number of ${service}, ` +
      `the greater of max(number) in ${lost.schema}.audit_outbox and in logbook.audit_numbers (service = '${service}'), or 0: ` +
      `INSERT INTO ${table} (last) VALUES (…)`,
  );
}

async function selectDue(client: pg.PoolClient, due: Due, { batchSizeMax }: OutboxBounds): Promise<OutboxRow[]> {
  const { rows } = await client.query<OutboxRow>({
    name: `audit-outbox-due-${due}`,
    text: `SELECT seq, number, event_id, body, created_at, attempts FROM audit_outbox WHERE ${conditions[due]}
ORDER BY seq LIMIT ${batchSizeMax}`,
  });
  // A row committed late has a higher number than its place; the batch is in the order of numbers.
  return due === "new" ? rows.toSorted((a, b) => Number(a.number) - Number(b.number)) : rows;
}

async function markPublished(client: pg.PoolClient, rows: readonly OutboxRow[], bounds: OutboxBounds): Promise<void> {
  const { republishAfterMs, republishAfterMaxMs } = bounds;
  await client.query({
    name: "audit-outbox-published",
    text: `
UPDATE audit_outbox o SET published_at = clock_timestamp(), attempts = attempts + 1,
  republish_at = clock_timestamp()
    + LEAST(${republishAfterMs} * power(2, LEAST(attempts, 20)), ${republishAfterMaxMs}) * interval '1 millisecond'
FROM (SELECT seq FROM audit_outbox WHERE seq = ANY($1::bigint[]) ORDER BY seq FOR UPDATE) due WHERE o.seq = due.seq`,
    values: [rows.map(({ seq }) => seq)],
  });
}

interface BacklogRow {
  readonly kind: "unpublished" | "unconfirmed";
  readonly count: number;
  readonly age_ms: number;
}

async function measure(pool: pg.Pool, { measuredMax }: OutboxBounds): Promise<Backlog> {
  const figures = (kind: BacklogRow["kind"], condition: string, order: string) => `
SELECT '${kind}' AS kind, count(*)::int AS count,
  coalesce(extract(epoch FROM clock_timestamp() - min(created_at)) * 1000, 0)::float8 AS age_ms
FROM (SELECT created_at FROM audit_outbox WHERE ${condition} ORDER BY ${order} LIMIT ${measuredMax}) AS ${kind}`;
  const { rows } = await pool.query<BacklogRow>({
    name: "audit-outbox-measure",
    text: `${figures("unpublished", "published_at IS NULL", "seq")} UNION ALL ${figures(
      "unconfirmed",
      unconfirmed,
      "republish_at",
    )}`,
  });
  const of = (kind: BacklogRow["kind"]) => rows.find((row) => row.kind === kind) ?? { count: 0, age_ms: 0 };
  return {
    unpublished: of("unpublished").count,
    unpublishedAgeMs: of("unpublished").age_ms,
    unconfirmed: of("unconfirmed").count,
    unconfirmedAgeMs: of("unconfirmed").age_ms,
  };
}
