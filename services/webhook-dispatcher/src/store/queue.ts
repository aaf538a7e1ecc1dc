import { type Database, toDatabaseError } from "@gatehouse/database";
import type pg from "pg";
import { type DeliveryOutcome, inactiveError, interruptedError, refusedError } from "../domain/delivery.ts";
import type { Allotment } from "../domain/webhook-queues.ts";
import {
  type Claim,
  fromStartedRow,
  startedColumns,
  type StartedDelivery,
  type StartedRow,
} from "./started-delivery.ts";

export type { Claim, StartedDelivery } from "./started-delivery.ts";

/** Outcome of an attempt, with its claim. */
export interface Ending {
  readonly claim: Claim;
  readonly outcome: DeliveryOutcome;
}

/**
 * States of a delivery: `pending` → `claimed` by a worker, under a lease → `started`, committed before the first byte is sent →
 * `done`. Each claim and takeover increments `lease_no`, which the worker must present: after a takeover it can neither start nor
 * record the delivery. Only the database's clock decides whether a lease has expired.
 */
export interface DeliveryQueue {
  /** Looks for work by one statement, the whole cost of an idle dispatcher. */
  look(afterWebhookId: number): Promise<QueueLook>;
  /** Claims the oldest waiting deliveries of each queue, under a lease. */
  claim(allotments: readonly Allotment[], leaseMs: number): Promise<readonly Claim[]>;
  /**
   * Starts claimed deliveries; skips those taken over, and ends those of an inactive webhook with that reason. @returns the
   * started ones
   */
  start(claims: readonly Claim[], leaseMs: number): Promise<readonly StartedDelivery[]>;
  /** Returns claimed or started deliveries that were certainly not sent. */
  handBack(claims: readonly Claim[]): Promise<void>;
  /** Ends a claimed delivery whose start the database refuses. */
  refuse(claim: Claim): Promise<void>;
  /** Records outcomes. @returns the recorded ids; the others were taken over */
  finish(endings: readonly Ending[]): Promise<ReadonlySet<string>>;
  /**
   * Takes over deliveries with expired leases: claimed ones wait again, started ones end as interrupted. `own` are the deliveries
   * that this process still works on.
   */
  takeOver(own: readonly string[]): Promise<readonly TakenOver[]>;
  /** Number of waiting deliveries, at most {@link countedMax}, and the age of the oldest, milliseconds. */
  countWaiting(): Promise<{ readonly count: number; readonly oldestMs: number }>;
}

interface QueueLook {
  /** Webhooks with waiting deliveries, at most a thousand, after the given id. */
  readonly webhookIds: readonly number[];
  /** Whether any lease, of any process, has expired. */
  readonly hasLapsed: boolean;
}

interface TakenOver {
  readonly webhookId: number;
  readonly state: "pending" | "done";
}

/** Webhooks returned by one look. */
export const lookedAtMax = 1_000;
/** Largest number of waiting deliveries that is counted. */
const countedMax = 100_000;

/** Rows taken over by one statement. */
const takeOverMax = 1_000;

/** The queue in Postgres. Claims are leases, so that those of a dead replica expire. */
export function createDeliveryQueue({ pool }: Database): DeliveryQueue {
  const run = async <Row extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<Row[]> => {
    try {
      return (await pool.query<Row>(query)).rows;
    } catch (err) {
      throw toDatabaseError(err);
    }
  };
  return {
    async look(after) {
      const [row] = await run<{ webhook_ids: number[]; has_lapsed: boolean }>({ ...statements.look, values: [after] });
      return { webhookIds: row?.webhook_ids ?? [], hasLapsed: row?.has_lapsed ?? false };
    },
    async claim(allotments, leaseMs) {
      const ids = allotments.map(({ webhookId }) => webhookId);
      const takes = allotments.map(({ take }) => take);
      const rows = await run<ClaimRow>({ ...statements.claim, values: [ids, takes, leaseMs] });
      return rows.map((row) => ({ id: row.id, webhookId: row.webhook_id, leaseNo: row.lease_no }));
    },
    async start(claims, leaseMs) {
      const rows = await run<StartedRow & { readonly state: string }>({
        ...statements.start,
        values: [...keysOf(claims), leaseMs],
      });
      return rows.filter((row) => row.state === "started").map(fromStartedRow);
    },
    async countWaiting() {
      const [row] = await run<{ count: number; oldest_ms: number }>({ ...statements.waiting, values: [countedMax] });
      return { count: row?.count ?? 0, oldestMs: row?.oldest_ms ?? 0 };
    },
    async handBack(claims) {
      await run({ ...statements.handBack, values: keysOf(claims) });
    },
    async refuse(claim) {
      await run({ ...statements.refuse, values: [claim.id, claim.leaseNo, refusedError] });
    },
    async finish(endings) {
      const values = [...keysOf(endings.map(({ claim }) => claim)), ...outcomeColumns(endings)];
      const rows = await run<{ id: string }>({ ...statements.finish, values });
      return new Set(rows.map(({ id }) => id));
    },
    async takeOver(own) {
      const rows = await run<{ webhook_id: number; state: "pending" | "done" }>({
        ...statements.takeOver,
        values: [own, takeOverMax, interruptedError],
      });
      return rows.map((row) => ({ webhookId: row.webhook_id, state: row.state }));
    },
  };
}

interface ClaimRow {
  readonly id: string;
  readonly webhook_id: number;
  readonly lease_no: number;
}

function keysOf(claims: readonly Claim[]): [string[], number[]] {
  return [claims.map(({ id }) => id), claims.map(({ leaseNo }) => leaseNo)];
}

function outcomeColumns(endings: readonly Ending[]): unknown[][] {
  const outcomes = endings.map(({ outcome }) => outcome);
  return [
    outcomes.map(({ success }) => success),
    outcomes.map(({ httpStatus }) => httpStatus ?? null),
    outcomes.map(({ responseBody }) => responseBody ?? null),
    outcomes.map(({ responseTruncated }) => responseTruncated),
    outcomes.map(({ error }) => error ?? null),
    outcomes.map(({ durationMs }) => durationMs),
    outcomes.map(({ timing }) => JSON.stringify(timing)),
    outcomes.map(({ responseHeaders }) => (responseHeaders === undefined ? null : JSON.stringify(responseHeaders))),
  ];
}

const statements = {
  /** Loose index scan over waiting deliveries, so that the cost grows with webhooks, not deliveries. */
  look: {
    name: "webhook-look",
    text: `WITH RECURSIVE queue AS (
        (SELECT webhook_id FROM deliveries WHERE state = 'pending' AND webhook_id > $1 ORDER BY webhook_id LIMIT 1)
        UNION ALL
        SELECT (SELECT d.webhook_id FROM deliveries d WHERE d.state = 'pending' AND d.webhook_id > queue.webhook_id
                ORDER BY d.webhook_id LIMIT 1)
        FROM queue WHERE queue.webhook_id IS NOT NULL
      )
      SELECT ARRAY(SELECT webhook_id FROM queue WHERE webhook_id IS NOT NULL LIMIT ${lookedAtMax}) AS webhook_ids,
        EXISTS (SELECT FROM deliveries WHERE state IN ('claimed', 'started') AND leased_until < statement_timestamp())
          AS has_lapsed`,
  },
  waiting: {
    name: "webhook-waiting",
    text: `SELECT count(*)::int AS count,
        coalesce(extract(epoch FROM clock_timestamp() - min(created_at)) * 1000, 0)::float8 AS oldest_ms
      FROM (SELECT created_at FROM deliveries WHERE state = 'pending' LIMIT $1) waiting`,
  },
  claim: {
    name: "webhook-claim",
    text: `UPDATE deliveries d SET state = 'claimed', lease_no = d.lease_no + 1,
        leased_until = clock_timestamp() + $3 * interval '1 millisecond'
      FROM unnest($1::int[], $2::int[]) AS queue(webhook_id, take)
        CROSS JOIN LATERAL (
          SELECT id FROM deliveries WHERE webhook_id = queue.webhook_id AND state = 'pending'
          ORDER BY id LIMIT queue.take FOR UPDATE SKIP LOCKED
        ) picked
      WHERE d.id = picked.id RETURNING d.id, d.webhook_id, d.lease_no`,
  },
  start: {
    name: "webhook-start",
    text: `UPDATE deliveries d SET
        state = CASE WHEN w.is_active AND w.deleted_at IS NULL THEN 'started' ELSE 'done' END,
        success = CASE WHEN w.is_active AND w.deleted_at IS NULL THEN NULL ELSE false END,
        error = CASE WHEN w.is_active AND w.deleted_at IS NULL THEN NULL ELSE '${inactiveError}' END,
        attempted_at = clock_timestamp(),
        leased_until = clock_timestamp() + $3 * interval '1 millisecond'
      FROM unnest($1::bigint[], $2::int[]) AS t(id, lease_no), webhooks w JOIN projects p ON p.uuid = w.project_uuid
      WHERE d.id = t.id AND d.lease_no = t.lease_no AND d.state = 'claimed' AND w.id = d.webhook_id
      RETURNING d.state, ${startedColumns}`,
  },
  handBack: {
    name: "webhook-hand-back",
    text: `UPDATE deliveries d SET state = 'pending', lease_no = d.lease_no + 1, leased_until = NULL, attempted_at = NULL
      FROM unnest($1::bigint[], $2::int[]) AS t(id, lease_no)
      WHERE d.id = t.id AND d.lease_no = t.lease_no AND d.state IN ('claimed', 'started')`,
  },
  refuse: {
    name: "webhook-refuse",
    text: `UPDATE deliveries SET state = 'done', leased_until = NULL, success = false, error = $3
      WHERE id = $1 AND lease_no = $2 AND state = 'claimed'`,
  },
  finish: {
    name: "webhook-finish",
    text: `UPDATE deliveries d SET state = 'done', leased_until = NULL, success = t.success, http_status = t.http_status,
        response_body = t.response_body, response_truncated = t.response_truncated, error = t.error,
        duration_ms = t.duration_ms, timing = t.timing, response_headers = t.response_headers
      FROM unnest($1::bigint[], $2::int[], $3::boolean[], $4::int[], $5::text[], $6::boolean[], $7::text[], $8::int[],
        $9::jsonb[], $10::jsonb[])
        AS t(id, lease_no, success, http_status, response_body, response_truncated, error, duration_ms, timing,
          response_headers)
      WHERE d.id = t.id AND d.lease_no = t.lease_no AND d.state = 'started' RETURNING d.id`,
  },
  takeOver: {
    name: "webhook-take-over",
    text: `WITH lapsed AS (
        SELECT id FROM deliveries
        WHERE state IN ('claimed', 'started') AND leased_until < clock_timestamp() AND id <> ALL ($1::bigint[])
        ORDER BY leased_until LIMIT $2 FOR UPDATE SKIP LOCKED
      )
      UPDATE deliveries d SET lease_no = d.lease_no + 1, leased_until = NULL,
        state = CASE d.state WHEN 'claimed' THEN 'pending' ELSE 'done' END,
        success = CASE d.state WHEN 'claimed' THEN NULL ELSE false END,
        error = CASE d.state WHEN 'claimed' THEN NULL ELSE $3 END
      FROM lapsed WHERE d.id = lapsed.id RETURNING d.webhook_id, d.state`,
  },
} as const;
