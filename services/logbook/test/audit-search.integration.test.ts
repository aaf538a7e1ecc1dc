import type { OpenDatabase } from "@gatehouse/database";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAuditReader } from "../src/store/audit-reader.ts";
import { explaining, type LogbookHarness, openHarness } from "./harness.ts";

type AuditQuery = Parameters<ReturnType<typeof createAuditReader>["query"]>[0];
type Filters = Partial<Pick<AuditQuery, "projectUuid" | "event" | "severity" | "target">>;

const [idle, other, unknown] = ["1", "2", "3"].map((digit) => `00000000-0000-4000-8000-00000000000${digit}`);

/**
 * A project whose changes are all older than those of another one, and more than half of the log; `token.revoked` and the severity
 * `error` are the other's alone, and so are even targets. Few changes are in a chain before both. Three share a millisecond.
 */
const manyChanges = `
  INSERT INTO audit_log (chain, sequence, event_id, at, event, severity, actor, project_id, project_uuid, project_name, target, metadata,
    ip_address, traceparent, prev_hash, hash)
  SELECT chain, n, n::text, timestamptz '2026-01-01' + n / 3 * interval '1 second',
    CASE WHEN chain = $2 AND n % 4 = 0 THEN 'token.revoked' ELSE 'token.created' END,
    CASE WHEN chain = $2 AND n % 4 = 0 THEN 'error' ELSE 'info' END,
    'admin_key:alice', 1, chain, 'Shop', 'target ' || (n % 5) * 2 + CASE chain WHEN $1 THEN 1 ELSE 0 END, '{}', '', '', '', ''
  FROM (SELECT n, CASE WHEN n <= 30 THEN '' WHEN n <= 12000 THEN $1 ELSE $2 END AS chain FROM generate_series(1, 20000) AS n) AS numbers`;

let harness: LogbookHarness;
let database: OpenDatabase;

beforeAll(async () => {
  harness = await openHarness();
  await harness.startReplica();
  database = harness.openPool();
  await harness.sql(manyChanges, [idle, other]);
  await harness.sql("ANALYZE audit_log");
});
afterAll(async () => await harness.stop());

const everything: AuditQuery = {
  range: { since: undefined, until: undefined, take: 50, before: undefined },
  projectUuid: undefined,
  event: undefined,
  severity: undefined,
  target: undefined,
};

const second = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000);

/** The plan of a query's statement. */
async function planOf(query: AuditQuery): Promise<string> {
  const plans: string[] = [];
  await createAuditReader({ ...database, pool: explaining(database.pool, plans) }).query(query);
  expect(plans).toHaveLength(1);
  return plans[0] ?? "";
}

test.each<[index: string, filters: Filters]>([
  ["at_id", {}],
  ["chain_at_id", { projectUuid: idle }],
  ["event_at_id", { event: "token.created" }],
  ["severity_at_id", { severity: "error" }],
  ["target_at_id", { target: "target 3" }],
  ["chain_event_at_id", { projectUuid: idle, event: "token.revoked" }],
  ["chain_severity_at_id", { projectUuid: idle, severity: "error" }],
  ["chain_target_at_id", { projectUuid: idle, target: "target 4" }],
])(
  "a page is one span of the index %s, also where the planner expects rows that are not there",
  async (index, filters) => {
    for (const range of [
      everything.range,
      { ...everything.range, since: second(100), until: second(6_000) },
      { ...everything.range, before: { atMs: second(6_000).getTime(), id: "18001" } },
    ]) {
      const plan = await planOf({ ...everything, range, ...filters });
      expect(plan).toContain(`Index Scan Backward using audit_log_${index}_idx`);
      // Neither rows that are read and left out, nor rows that are read to be sorted.
      expect(plan).not.toMatch(/Filter:|Sort/);
    }
  },
);

/** The ids of all changes that fit, newest first, by conditions alone. */
async function idsOf(filters: Filters, since: Date, until: Date): Promise<string[]> {
  const rows = await harness.sql(
    `SELECT id::text FROM audit_log WHERE ($1::text IS NULL OR chain = $1) AND ($2::text IS NULL OR event = $2)
       AND ($3::text IS NULL OR severity = $3) AND ($4::text IS NULL OR target = $4) AND at >= $5 AND at < $6
     ORDER BY at DESC, id DESC`,
    [filters.projectUuid, filters.event, filters.severity, filters.target, since, until],
  );
  return rows.map(({ id }) => String(id));
}

test.each<[name: string, filters: Filters]>([
  ["no filter", {}],
  ["a project", { projectUuid: idle }],
  ["a project without changes", { projectUuid: unknown }],
  ["an event", { event: "token.revoked" }],
  ["an event and its severity", { event: "token.revoked", severity: "error" }],
  ["an event and another severity", { event: "token.revoked", severity: "info" }],
  ["a project, an event and a target", { projectUuid: other, event: "token.created", target: "target 4" }],
  ["all filters", { projectUuid: other, event: "token.revoked", severity: "error", target: "target 4" }],
])("pages hold each change within a time once, in order: %s", async (_, filters) => {
  const reader = createAuditReader(database);
  const [since, until] = [second(3_990), second(4_010)];
  const expected = await idsOf(filters, since, until);
  const ids: string[] = [];
  let before: AuditQuery["range"]["before"];
  do {
    const { items } = await reader.query({ ...everything, ...filters, range: { since, until, take: 4, before } });
    ids.push(...items.map(({ id }) => id));
    const last = items.at(-1);
    before = last && { atMs: last.at.getTime(), id: last.id };
  } while (before !== undefined && ids.length <= expected.length);
  expect(ids).toEqual(expected);
});
