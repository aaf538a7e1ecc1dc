import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { otherUsers, usersPerHourMax } from "../src/domain/metrics.ts";
import {
  type LogbookHarness,
  type LogbookReplica,
  newWireEntry,
  openBefore,
  openHarness,
  toMessage,
} from "./harness.ts";

let harness: LogbookHarness;
let replica: LogbookReplica;
const hour = 3_600_000;

beforeAll(async () => {
  harness = await openHarness();
  replica = await harness.startReplica();
});
afterAll(async () => await harness.stop());

interface Sums {
  readonly requests: number;
  readonly errors: number;
  readonly errors_by_kind: Readonly<Record<string, number>>;
  readonly guardrail_blocks: number;
  readonly p50_ms: number;
  readonly p95_ms: number;
  readonly p99_ms: number;
  readonly prompt_tokens: number;
  readonly cost_usd: number;
}

interface Metrics {
  readonly since: string;
  readonly series: readonly {
    readonly group: Readonly<Record<string, unknown>> | null;
    readonly is_other: boolean;
    readonly total: Sums;
    readonly points: readonly (Sums & { readonly at: string })[];
  }[];
}

const newProject = () => ({ id: 1, uuid: randomUUID(), name: "Shop" });
type Project = ReturnType<typeof newProject>;

const today = Math.floor(Date.now() / hour) * hour;
const at = (hoursAgo: number) => today - hoursAgo * hour;

const moments = [
  "0001-01-01T00:00:00Z",
  "1970-01-01T00:00:00+23:59",
  "2026-12-01T00:00:00Z",
  "9999-12-31T23:59:59.999Z",
];

test.each(["1m", "1h", "6h", "1d", "whole"])(
  "every range of times, in buckets of %s, has an answer",
  async (bucket) => {
    const ask = async (range: object) =>
      await replica.admin.call<{ since: string; until: string }>("svc_query_metrics", { ...range, bucket });
    for (const since of moments) {
      for (const until of moments) {
        const answer = await ask({ since, until }).catch((err: unknown) => err);
        const isRange = !(answer instanceof Error);
        // The range of an answer can be asked for.
        if (isRange) await ask({ ...(answer as object), series: undefined });
        else expect(answer).toMatchObject({ code: "invalid_argument" });
      }
    }
    const year9999 = { since: "9999-12-31T00:00:00Z", until: "9999-12-31T23:59:59Z" };
    expect(await ask(year9999)).toMatchObject({ until: "9999-12-31T23:59:59.999Z" });
  },
);

async function store(
  project: Project,
  entries: readonly Record<string, unknown>[],
  id: ReturnType<typeof randomUUID> = randomUUID(),
): Promise<void> {
  const wire = entries.map((entry) => newWireEntry({ project_uuid: project.uuid, ...entry }));
  await replica.events.publish("gateway_log", [{ ...toMessage(wire, id), attempt: 0 }]);
}

async function query(project: Project | undefined, input: Record<string, unknown> = {}): Promise<Metrics> {
  const range = { since: new Date(at(5)).toISOString(), until: new Date(at(-1)).toISOString(), bucket: "1h" };
  const named = project === undefined ? {} : { project: project.uuid };
  return await replica.admin.call<Metrics>("svc_query_metrics", { ...range, ...named, ...input }, project ?? null);
}

test("refusals of a guardrail or a budget are counted by their error code, with any message", async () => {
  const project = newProject();
  await store(project, [
    { at_ms: at(1), status: 422, error: "Reply blocked: x", error_code: "guardrail_blocked" },
    { at_ms: at(1), status: 422, error: "User monthly budget exhausted: x", error_code: "budget_exhausted" },
    { at_ms: at(1), status: 422, error: "Request blocked: x", error_code: "input_schema_failed" },
  ]);
  const { series } = await query(project);
  const errors_by_kind = { guardrail_blocked: 1, budget_exhausted: 1, invalid: 1 };
  expect(series[0]).toMatchObject({ total: { errors_by_kind, guardrail_blocks: 1 } });
});

test("requests, errors by kind, blocks, tokens and cost are summed in total and by bucket", async () => {
  const project = newProject();
  await store(project, [
    {
      at_ms: at(2),
      duration_ms: 10,
      prompt_tokens: 5,
      completion_tokens: 7,
      cost_micros: 1_500_000,
      details: { cached_tokens: 3 },
    },
    { at_ms: at(1), duration_ms: 10, prompt_tokens: 5, cost_micros: 500_000 },
    { at_ms: at(1), status: 429, error: "Rate limit exceeded." },
    { at_ms: at(1), status: 422, error: "Request blocked: E-Mail detected in input." },
    { at_ms: at(1), status: 422, error: "Endpoint monthly budget exhausted: ~$10.02 spent, budget $10.00." },
    { at_ms: at(1), status: 401, error: "Invalid or revoked token." },
    { at_ms: at(1), status: 502, error: "Provider call failed: x" },
    { at_ms: at(1), status: 200, error: "Unknown tool: x" },
    { at_ms: at(1), status: 499 },
    { at_ms: at(1), status: 404 },
    { at_ms: at(1), status: 500 },
  ]);
  const { series } = await query(project);
  expect(series).toHaveLength(1);
  expect(series[0]).toMatchObject({
    group: null,
    is_other: false,
    total: {
      requests: 11,
      errors: 9,
      errors_by_kind: {
        rate_limited: 1,
        guardrail_blocked: 1,
        budget_exhausted: 1,
        unauthorized: 1,
        provider: 1,
        in_reply: 1,
        client_gone: 1,
        invalid: 1,
        internal: 1,
      },
      guardrail_blocks: 1,
      prompt_tokens: 10,
      cached_tokens: 3,
      completion_tokens: 7,
      cost_usd: 2,
    },
    points: [
      { at: new Date(at(2)).toISOString(), requests: 1, errors: 0, cached_tokens: 3, cost_usd: 1.5 },
      { at: new Date(at(1)).toISOString(), requests: 10, errors: 9, cost_usd: 0.5 },
    ],
  });
});

test("percentiles of merged histograms are within 10 % of the true ones", async () => {
  const project = newProject();
  const durations = Array.from({ length: 1_000 }, (_, index) => index + 1);
  for (let part = 0; part < 10; part += 1) {
    const entries = durations.filter((duration) => duration % 10 === part);
    await store(
      project,
      entries.map((duration) => ({ at_ms: at(part % 3), duration_ms: duration, token_id: part })),
    );
  }
  const [all] = (await query(project)).series;
  for (const [name, truth] of [
    ["p50_ms", 500],
    ["p95_ms", 950],
    ["p99_ms", 990],
  ] as const) {
    expect(Math.abs((all?.total[name] ?? 0) - truth) / truth).toBeLessThan(0.1);
  }
});

test("the busiest groups have a series each, the others share one, and filters apply", async () => {
  const project = newProject();
  const entries = Array.from({ length: 60 }, (_, model) =>
    Array.from({ length: model < 50 ? 2 : 1 }, () => ({
      at_ms: at(1),
      provider: "p",
      model: `m-${model}`,
      token_id: 7,
    })),
  );
  await store(project, entries.flat());
  await store(project, [{ at_ms: at(1), endpoint_uuid: project.uuid }]);
  const { series } = await query(project, { group_by: "model" });
  expect(series).toHaveLength(51);
  expect(series.at(-1)).toMatchObject({ group: null, is_other: true, total: { requests: 11 } });
  expect(series[0]).toMatchObject({ group: { model: "m-0" }, total: { requests: 2 }, points: [{ requests: 2 }] });

  const byToken = await query(project, { group_by: "token" });
  expect(byToken.series.map(({ group, total }) => [group?.["token"], total.requests])).toEqual([
    [7, 110],
    [null, 1],
  ]);
  const narrowed = await query(project, { filters: { model: "m-3", provider: "p", token_id: 7 } });
  expect(narrowed.series[0]?.total.requests).toBe(2);
  expect((await query(project, { filters: { endpoint: project.uuid } })).series[0]?.total.requests).toBe(1);
});

test("cost is grouped by user", async () => {
  const project = newProject();
  await store(project, [
    { at_ms: at(2), user_name: "ann", cost_micros: 1_000_000 },
    { at_ms: at(1), user_name: "ann", cost_micros: 500_000 },
    { at_ms: at(1), user_name: "bob", cost_micros: 250_000 },
  ]);
  await store(project, [{ at_ms: at(1), user_name: "ann" }, { at_ms: at(1) }]);
  const { series } = await query(project, { group_by: "user" });
  expect(series.map(({ group, total }) => [group?.["user"], total.requests, total.cost_usd])).toEqual([
    ["ann", 3, 1.5],
    [null, 1, 0],
    ["bob", 1, 0.25],
  ]);
  for (const bucket of ["1h", "1d"]) {
    expect((await query(project, { bucket, filters: { user: "ann" } })).series[0]?.total.requests).toBe(3);
  }
});

test("users beyond an hour's bound are counted as one, separately by project", async () => {
  const [project, neighbour] = [newProject(), newProject()];
  const usersOf = async () =>
    await harness.sql("SELECT DISTINCT user_name FROM metric_hours WHERE project_uuid = $1", [project.uuid]);
  for (let batch = 0; batch < 3; batch += 1) {
    const names = Array.from({ length: 100 }, (_, index) => `user-${batch * 100 + index}`);
    await store(
      project,
      names.map((name) => ({ at_ms: at(1), user_name: name })),
    );
  }
  await store(neighbour, [{ at_ms: at(1), user_name: "user-299" }]);
  const known = await usersOf();
  expect(known).toHaveLength(usersPerHourMax + 1);
  const { series } = await query(project, { filters: { user: otherUsers } });
  expect(series[0]?.total.requests).toBe(300 - usersPerHourMax);
  // Known users stay known, and another hour has room again.
  await store(project, [
    { at_ms: at(1), user_name: "user-0" },
    { at_ms: at(3), user_name: "user-299" },
  ]);
  expect((await query(project, { filters: { user: "user-0" } })).series[0]?.total.requests).toBe(2);
  expect((await query(project, { filters: { user: "user-299" } })).series[0]?.total.requests).toBe(1);
  expect((await query(neighbour, { filters: { user: "user-299" } })).series[0]?.total.requests).toBe(1);
  expect((await query(project)).series[0]?.total.requests).toBe(302);
});

test("minutes, hours and days agree, and a repeated message is counted once", async () => {
  const project = newProject();
  const id = randomUUID();
  const entries = [{ at_ms: Date.now() - 60_000 }, { at_ms: Date.now() - 120_000 }];
  await store(project, entries, id);
  await store(project, entries, id);
  const counted = async (table: string) =>
    await harness.sql(`SELECT sum(requests)::int AS requests FROM ${table} WHERE project_uuid = $1`, [project.uuid]);
  expect(await counted("metric_minutes")).toEqual([{ requests: 2 }]);
  expect(await counted("metric_hours")).toEqual([{ requests: 2 }]);
  expect(await counted("metric_days")).toEqual([{ requests: 2 }]);
});

test.each([undefined, "model", "token", "provider"])(
  "the hours of a day add up to the day, percentiles included, by %s",
  async (groupBy) => {
    const project = newProject();
    const entry = (index: number) => ({
      at_ms: at(0) - (index % 60) * hour,
      duration_ms: 1 + ((index * 37) % 900),
      model: `m-${index % 7}`,
      token_id: index % 4,
      ...(index % 3 === 0 ? { provider: "p" } : {}),
      ...(index % 11 === 0 ? { status: 429 } : {}),
      prompt_tokens: index,
      cost_micros: index,
    });
    await store(
      project,
      Array.from({ length: 600 }, (_, index) => entry(index)),
    );
    const range = { since: new Date(at(72)).toISOString(), until: new Date(at(-1)).toISOString() };
    const grouped = groupBy === undefined ? {} : { group_by: groupBy };
    const since = new Date(Math.floor(at(72) / (24 * hour)) * 24 * hour).toISOString();
    const until = new Date(Math.ceil(at(-1) / (24 * hour)) * 24 * hour).toISOString();
    const byDay = await query(project, { ...range, ...grouped, bucket: "1d" });
    const byHour = await query(project, { since, until, ...grouped, bucket: "1h" });
    expect(byDay.series.map(({ total }) => total)).toEqual(byHour.series.map(({ total }) => total));
    expect(byDay.series.map(({ group }) => group)).toEqual(byHour.series.map(({ group }) => group));
    for (const [index, { total, points }] of byDay.series.entries()) {
      expect(points.reduce((sum, { requests }) => sum + requests, 0)).toBe(total.requests);
      expect(byHour.series[index]?.points.reduce((sum, { errors }) => sum + errors, 0)).toBe(total.errors);
    }
    const all = byDay.series.reduce((sum, { total }) => sum + total.requests, 0);
    expect(all).toBe(600);
    // Ranges that begin and end at any hour: within a day, over midnight, and over whole days.
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 70 }), fc.integer({ min: 1, max: 72 }), async (ended, hours) => {
        const asked = { since: new Date(at(ended + hours)).toISOString(), until: new Date(at(ended)).toISOString() };
        const whole = await query(project, { ...asked, ...grouped, bucket: "whole" });
        const inHours = await query(project, { ...asked, ...grouped, bucket: "1h" });
        expect(whole.series.map(({ group, total }) => ({ group, total }))).toEqual(
          inHours.series.map(({ group, total }) => ({ group, total })),
        );
        for (const { total, points } of whole.series) expect(points).toEqual([{ at: asked.since, ...total }]);
      }),
      { numRuns: 40 },
    );
  },
);

test("days are computed from the hours of an earlier release", async () => {
  const { client, migrate, drop } = await openBefore("20261122090000_metric_days");
  try {
    const hours = "timestamptz '2030-01-01T00:00Z' + n * interval '1 hour'";
    await client.query(
      `INSERT INTO metric_hours SELECT ${hours}, gen_random_uuid(), gen_random_uuid(), 1, 'p', 'm', 'ok', 4, 2, 3, 5, 7
       FROM generate_series(0, 47) AS n`,
    );
    await migrate();
    const { rows } = await client.query(
      `SELECT at, model, sum(requests)::int AS requests, sum(prompt_tokens)::int AS prompt_tokens,
         sum(completion_tokens)::int AS completion_tokens, sum(cost_micros)::int AS cost_micros
       FROM metric_days GROUP BY 1, 2 ORDER BY 1`,
    );
    const day = { model: "m", requests: 48, prompt_tokens: 72, completion_tokens: 120, cost_micros: 168 };
    expect(rows).toEqual(["2030-01-01", "2030-01-02"].map((at) => ({ at: new Date(at), ...day })));
  } finally {
    await drop();
  }
});

test("calls of the Control Plane are excluded with clients_only, and otherwise have no endpoint", async () => {
  const project = newProject();
  const entries = [
    { route: "control_mcp" },
    { route: "console_session", status: 401 },
    { endpoint_uuid: project.uuid },
    {},
  ];
  await store(
    project,
    entries.map((entry) => ({ at_ms: at(1), ...entry })),
  );
  const total = async (input: Record<string, unknown>) => (await query(project, input)).series[0]?.total;
  expect(await total({})).toMatchObject({ requests: 4, errors: 1 });
  for (const bucket of ["1m", "1h", "1d", "whole"]) {
    expect(await total({ bucket, clients_only: true })).toMatchObject({ requests: 2, errors: 0 });
  }
  const byEndpoint = async (input: Record<string, unknown>) =>
    (await query(project, { ...input, group_by: "endpoint" })).series.map((each) => [each.group, each.total.requests]);
  const ofEndpoint = [{ endpoint: project.uuid }, 1];
  expect(await byEndpoint({})).toEqual([[{ endpoint: null }, 3], ofEndpoint]);
  expect(await byEndpoint({ clients_only: true })).toEqual(
    expect.arrayContaining([[{ endpoint: null }, 1], ofEndpoint]),
  );
});

test("an invalid entry is not counted, and the others of its message are", async () => {
  const project = newProject();
  await store(project, [{ at_ms: at(1) }, { at_ms: at(1), status: null }, { at_ms: at(1) }]);
  expect((await query(project)).series[0]?.total.requests).toBe(2);
});

test("an entry with a name of any length is counted", async () => {
  const project = newProject();
  const letters = Array.from({ length: 1_000 }, (_, index) =>
    String.fromCodePoint(0x4e00 + ((index * 7_919) % 20_000)),
  );
  await store(project, [{ at_ms: at(1), provider: letters.join(""), model: letters.toReversed().join("") }]);
  expect((await query(project)).series[0]?.total.requests).toBe(1);
});

test.each([
  [{ bucket: "1w" }, "Invalid bucket: 1w"],
  [{ group_by: "colour" }, "Invalid group_by: colour"],
  [{ filters: { modl: "x" } }, "Unknown argument: filters.modl. Did you mean 'model'?"],
  [{ filters: { endpoint: "x" } }, "Endpoint not found: x"],
  [{ bucket: "1m", since: "2020-01-01T00:00:00Z" }, "buckets of that range"],
  [{ until: "2000-01-01T00:00:00Z" }, "until must be after since."],
])("%j is refused: %s", async (input, message) => {
  await expect(query(undefined, input)).rejects.toThrow(message);
});
