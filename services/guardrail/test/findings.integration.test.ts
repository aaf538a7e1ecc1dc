import { randomUUID } from "node:crypto";
import type { TestAdmin } from "@gatehouse/admin/testing";
import { openDatabase } from "@gatehouse/database";
import { createTestDatabase, type TestDatabase } from "@gatehouse/postgres/testing";
import type { GuardrailServiceDefinition } from "@gatehouse/proto/guardrail";
import type { RpcClient } from "@gatehouse/rpc";
import type { Service } from "@gatehouse/service";
import { createLogger } from "@gatehouse/telemetry";
import { Secret } from "@gatehouse/vault";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startGuardrail } from "./start-guardrail.ts";

let database: TestDatabase;
let service: Service;
let guardrail: RpcClient<typeof GuardrailServiceDefinition>;
let admin: TestAdmin;

beforeAll(async () => {
  database = await createTestDatabase();
  ({ service, guardrail, admin } = await startGuardrail(database));
});

afterAll(async () => {
  await service.stop();
  await database.drop();
});

function newProject() {
  const projectUuid = randomUUID();
  const within = { id: 7, uuid: projectUuid, name: "Shop" };
  const call = async <Result = Record<string, unknown>>(name: string, input: object = {}) =>
    await admin.call<Result>(name, { project: projectUuid, ...input }, within);
  const inspect = async (text: string) => {
    const context = { requestId: "r-1" };
    return await guardrail.inspect({ projectUuid, side: "SIDE_INPUT", texts: [{ role: "user", text }], context });
  };
  return { projectUuid, within, call, inspect };
}

interface Listed {
  readonly findings: readonly { readonly id: number; readonly label: string }[];
  readonly next_cursor: string | null;
}

test("findings are listed newest first in pages, and deleted with their project", async () => {
  const { projectUuid, call, inspect } = newProject();
  await call("svc_set_guardrails", { keywords: ["falcon"], pii: { mode: "mask" }, findings: "excerpts" });
  await inspect("I am ann@example.com");
  await inspect("a falcon of bob@example.com");
  const list = async (input: object = {}) => await call<Listed>("svc_list_findings", input);
  await expect.poll(async () => (await list()).findings.length, { timeout: 5_000 }).toBe(2);
  const first = await list({ limit: 1 });
  expect(first.findings).toMatchObject([
    { detector: "keyword", action: "blocked", request_id: "r-1", side: "input", excerpt: "a falcon of [E-Mail]" },
  ]);
  const second = await list({ limit: 1, cursor: first.next_cursor });
  expect([second.findings, second.next_cursor]).toMatchObject([[{ detector: "pii", action: "masked" }], null]);
  expect((await list({ detector: "secret" })).findings).toEqual([]);
  await expect(list({ cursor: "x" })).rejects.toThrow(/cursor/);
  const day = new Date().toISOString().slice(0, 10);
  const { counts } = await call<{ readonly counts: readonly object[] }>("svc_count_findings");
  expect(counts.map((each) => ({ ...each, day }))).toEqual([
    { day, detector: "keyword", action: "blocked", count: 1 },
    { day, detector: "pii", action: "masked", count: 1 },
  ]);
  await admin.deleteProject(projectUuid);
  expect((await list()).findings).toEqual([]);
  expect(await call("svc_count_findings")).toEqual({ counts: [] });
});

test("feedback is stored with its text, masked, for export", async () => {
  const { call, inspect } = newProject();
  await call("svc_set_guardrails", { keywords: ["falcon"], findings: "excerpts" });
  await inspect("a falcon");
  const list = async () => (await call<Listed>("svc_list_findings")).findings;
  await expect.poll(async () => (await list()).length, { timeout: 5_000 }).toBe(1);
  const [{ id } = { id: 0 }] = await list();
  await call("svc_add_guardrail_feedback", { kind: "false_alarm", finding_id: id, note: "a bird" });
  await call("svc_add_guardrail_feedback", {
    kind: "missed",
    text: "mail ann@example.com",
    note: "of bob@example.com",
  });
  expect(await call("svc_list_guardrail_feedback")).toMatchObject({
    feedback: [
      { kind: "missed", text: "mail [E-Mail]", finding_id: null, note: "of [E-Mail]" },
      { kind: "false_alarm", text: "a falcon", finding_id: id, detector: "keyword", note: "a bird" },
    ],
  });
  await expect(call("svc_add_guardrail_feedback", { kind: "missed" })).rejects.toThrow(/finding_id or text/);
  const other = newProject();
  await expect(other.call("svc_add_guardrail_feedback", { kind: "missed", finding_id: id })).rejects.toThrow(
    /not found/,
  );
  for (const none of [2 ** 53, 1e300]) {
    const given = call("svc_add_guardrail_feedback", { kind: "missed", finding_id: none });
    await expect(given).rejects.toThrow(/^Finding not found: /);
  }
});

test("an endpoint's findings, feedback and comparisons are deleted with it, and no others", async () => {
  const { projectUuid, within, call } = newProject();
  await call("svc_set_guardrails", { keywords: ["falcon"], shadow: { keywords: ["eagle"] } });
  const endpoints = [randomUUID(), randomUUID()];
  for (const endpointUuid of endpoints) {
    const texts = [{ role: "user", text: "a falcon" }];
    await guardrail.inspect({ projectUuid, endpointUuid, side: "SIDE_INPUT", texts, context: { requestId: "r-2" } });
  }
  const list = async () => (await call<Listed>("svc_list_findings")).findings;
  const calls = async () => (await call<{ calls: number }>("svc_get_guardrail_comparison")).calls;
  await expect.poll(list, { timeout: 5_000 }).toHaveLength(2);
  await expect.poll(calls, { timeout: 5_000 }).toBe(2);
  for (const endpoint of endpoints) {
    const given = { endpoint, kind: "missed", text: `of ${endpoint}` };
    await admin.call("svc_add_guardrail_feedback", given, within);
  }
  await admin.deleteEndpoint(endpoints[0] ?? "");
  const { feedback } = await call<{ feedback: unknown[] }>("svc_list_guardrail_feedback");
  expect([await list(), feedback, await calls()]).toMatchObject([
    [{ label: "falcon" }],
    [{ endpoint: endpoints[1] }],
    1,
  ]);
});

test.each(["findings", "feedback"])("an endpoint's rows of %s are found by an index", async (table) => {
  const url = new Secret(database.url);
  const log = createLogger({ service: "test", level: "silent" });
  const { pool, close } = openDatabase({ url, schema: "guardrail", connectionsMax: 1, log });
  try {
    // Postgres reads a small table whole, whatever its indexes.
    await pool.query("SET enable_seqscan = off");
    const { rows } = await pool.query(`EXPLAIN DELETE FROM ${table} WHERE endpoint_uuid = '${randomUUID()}'`);
    expect(JSON.stringify(rows)).toContain(`${table}_endpoint_uuid_idx`);
  } finally {
    await close();
  }
});

test("a policy on trial is compared on live calls", async () => {
  const { call, inspect } = newProject();
  expect(await call("svc_get_guardrail_comparison")).toEqual({ is_on_trial: false });
  await call("svc_set_guardrails", { keywords: ["falcon"], shadow: { keywords: ["eagle"] } });
  for (const text of ["falcon", "eagle", "crow"]) await inspect(text);
  await expect
    .poll(async () => await call("svc_get_guardrail_comparison"), { timeout: 5_000 })
    .toMatchObject({ is_on_trial: true, calls: 3, same: 1, newly_blocked: 1, no_longer_blocked: 1, skipped: 0 });
});

test("messages with roles, either side, and an unsaved policy can be tested", async () => {
  const { call } = newProject();
  await call("svc_set_guardrails", { keywords: ["falcon"], apply_to_output: true });
  const messages = [
    { role: "user", content: "hi" },
    { role: "tool", tool: "sql", content: "a falcon" },
  ];
  expect(await call("svc_test_guardrails", { messages })).toMatchObject({
    blocked: true,
    findings: [{ detector: "keyword", message: 1, start: 2, end: 8 }],
    source: "project",
  });
  const policy = { patterns: [{ tool: "sql" }] };
  expect(await call("svc_test_guardrails", { messages, policy })).toMatchObject({
    blocked: true,
    findings: [{ detector: "pattern", message: 1 }],
    source: "unsaved",
  });
  const answer = await call("svc_test_guardrails", { text: "falcon", side: "output" });
  expect(answer).toMatchObject({ blocked: true, message: "Request blocked: keyword 'falcon' detected in output." });
  await expect(call("svc_test_guardrails", { text: "a", policy: { keyword: ["a"] } })).rejects.toThrow(/keyword/);
  await expect(call("svc_test_guardrails", {})).rejects.toThrow(/text or messages/);
});
