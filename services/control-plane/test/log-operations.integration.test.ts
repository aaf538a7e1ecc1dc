import { randomUUID } from "node:crypto";
import { createRecordingGatewayLog } from "@gatehouse/gateway-log/testing";
import type { AuditLogEntry, GatewayLogEntry } from "@gatehouse/proto/logbook";
import { connectLocally } from "@gatehouse/rpc";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { call, refusal, run, send, startControlPlane, type TestControlPlane } from "./control-plane.ts";
import { createFakeLogbook } from "./fake-logbook.ts";

const logbook = createFakeLogbook();
const gatewayLog = createRecordingGatewayLog();

let plane: TestControlPlane;
let project: { id: number; uuid: string; name: string };
beforeAll(async () => {
  plane = await startControlPlane({ peers: { logbook: connectLocally(logbook.binding) }, gatewayLog });
  const made = await run<{ id: number; uuid: string; name: string }>(plane.service, "svc_create_project", {
    name: "Shop",
    project_type: "ai_gateway",
  });
  project = { id: made.id, uuid: made.uuid, name: made.name };
});
afterAll(async () => await plane.stop());
beforeEach(() => {
  logbook.asked.length = 0;
  Object.assign(logbook, { requests: [], changes: [], nextCursor: "" });
});

const request: GatewayLogEntry = {
  id: 7,
  at: new Date("2026-11-21T10:00:00.123Z"),
  requestId: "req-1",
  route: "chat_direct",
  status: 200,
  durationMs: 12,
  attempts: 1,
  detailsJson: "",
};

test("an entry of the gateway log has the fields of the contract, null where there is nothing", async () => {
  const full = {
    ...request,
    traceId: "0af7651916cd43dd8448eb211c80319c",
    project: project.uuid,
    endpoint: randomUUID(),
    tokenId: 3,
    status: 502,
    error: "Provider call failed: x",
    provider: "openai",
    model: "gpt",
    attempts: 2,
    promptTokens: 10,
    completionTokens: 20,
    costMicros: 1_250_001,
    detailsJson: '{"price_unknown":true}',
  };
  logbook.requests = [full, request];
  logbook.nextCursor = "next";
  expect(await run(plane.service, "svc_query_gateway_log", { project: project.uuid })).toEqual({
    entries: [
      {
        id: 7,
        at: "2026-11-21T10:00:00.123Z",
        request_id: "req-1",
        trace_id: full.traceId,
        project: project.uuid,
        endpoint: full.endpoint,
        token_id: 3,
        route: "chat_direct",
        status: 502,
        error: "Provider call failed: x",
        duration_ms: 12,
        provider: "openai",
        model: "gpt",
        attempts: 2,
        prompt_tokens: 10,
        completion_tokens: 20,
        cost_usd: 1.250001,
        details: { price_unknown: true },
      },
      {
        id: 7,
        at: "2026-11-21T10:00:00.123Z",
        request_id: "req-1",
        trace_id: null,
        project: null,
        endpoint: null,
        token_id: null,
        route: "chat_direct",
        status: 200,
        error: null,
        duration_ms: 12,
        provider: null,
        model: null,
        attempts: 1,
        prompt_tokens: null,
        completion_tokens: null,
        cost_usd: null,
        details: {},
      },
    ],
    next_cursor: "next",
  });
});

const change: AuditLogEntry = {
  id: 9,
  at: new Date("2026-11-21T10:00:00.123Z"),
  event: "token.created",
  severity: "info",
  actor: "admin_key:alice",
  target: "mobile app",
  metadataJson: '{"token_id":7}',
  ipAddress: "192.0.2.1",
  eventId: "7b0e8d3a-0000-4000-8000-000000000000",
};

test("an entry of the audit log has the fields of the contract; its project is null for the whole gateway", async () => {
  logbook.changes = [{ ...change, project }, change];
  const shown = {
    id: 9,
    at: "2026-11-21T10:00:00.123Z",
    event: "token.created",
    severity: "info",
    actor: "admin_key:alice",
    target: "mobile app",
    metadata: { token_id: 7 },
    ip_address: "192.0.2.1",
    event_id: "7b0e8d3a-0000-4000-8000-000000000000",
  };
  expect(await run(plane.service, "svc_query_audit_log", {})).toEqual({
    entries: [
      { ...shown, project },
      { ...shown, project: null },
    ],
    next_cursor: null,
  });
});

test("arguments become a question with its defaults", async () => {
  await run(plane.service, "svc_query_gateway_log", {});
  await run(plane.service, "svc_query_gateway_log", {
    project: project.uuid.toUpperCase(),
    since: "2026-11-21T00:00:00Z",
    until: "2026-11-22T00:00:00+01:00",
    status: 404,
    request_id: "r",
    limit: 200,
    cursor: "c",
  });
  await run(plane.service, "svc_query_gateway_log", { status: "4XX" });
  await run(plane.service, "svc_query_audit_log", { event: "token.created" });
  const range = { limit: 50, cursor: "" };
  const all = { projectUuid: "", status: "", requestId: "" };
  expect(logbook.asked).toMatchObject([
    { ...all, range },
    {
      projectUuid: project.uuid,
      status: "404",
      requestId: "r",
      range: {
        since: new Date("2026-11-21T00:00:00Z"),
        until: new Date("2026-11-21T23:00:00Z"),
        limit: 200,
        cursor: "c",
      },
    },
    { ...all, status: "4xx", range },
    { projectUuid: "", event: "token.created", range },
  ]);
});

test("a deleted project still has its entries; one that nobody knows is refused", async () => {
  const gone = randomUUID();
  logbook.requests = [{ ...request, project: gone }];
  expect(await run(plane.service, "svc_query_gateway_log", { project: gone })).toMatchObject({
    entries: [{ project: gone }],
  });
  for (const unknown of [randomUUID(), "not-a-uuid"]) {
    logbook.requests = [];
    for (const name of ["svc_query_gateway_log", "svc_query_audit_log", "svc_verify_audit_log"]) {
      expect(await refusal(plane.service, name, { project: unknown })).toBe(`-32602 Project not found: ${unknown}`);
    }
  }
});

test.each([
  ["svc_query_gateway_log", { status: "abc" }, "status must be"],
  ["svc_query_gateway_log", { status: 4 }, "status must be"],
  ["svc_query_gateway_log", { since: "yesterday" }, "since must be a timestamp"],
  ["svc_query_gateway_log", { limit: 201 }, "limit must be from 1 to 200"],
  ["svc_query_audit_log", { event: "token.eaten" }, "Invalid event: token.eaten"],
])("%s refuses %o", async (name, args, message) => {
  expect(await refusal(plane.service, name, args)).toContain(`-32602 ${message}`);
});

test("the walk through the chains says what it has found", async () => {
  logbook.faults = [{ projectUuid: "", sequence: 7, kind: "cut", detail: "the chain ends" }];
  expect(await run(plane.service, "svc_verify_audit_log", {})).toEqual({
    ok: false,
    rows: 10,
    chains: 2,
    faults: [{ project: null, sequence: 7, kind: "cut", detail: "the chain ends" }],
  });
  expect(await run(plane.service, "svc_verify_audit_log", { project: project.uuid })).toMatchObject({ ok: true });
});

test("each request to the Control Plane is recorded once, without its arguments", async () => {
  const recordOf = async (work: () => Promise<unknown>) => {
    const before = gatewayLog.entries.length;
    await work();
    return gatewayLog.entries.slice(before);
  };
  const admin_key = "initial";
  const secret = "sk-a-provider-key";
  expect(await recordOf(async () => await call(plane.service, "svc_create_token", { name: secret }))).toEqual([
    expect.objectContaining({
      route: "control_mcp",
      status: 200,
      error: "Missing required argument: project",
      details: { admin_key, method: "tools/call", operation: "svc_create_token" },
    }),
  ]);
  const batch = JSON.stringify(
    [1, 2].map((id) => {
      return { jsonrpc: "2.0", id, method: "tools/list" };
    }),
  );
  const entries = await recordOf(async () => await send(plane.service, { body: batch }));
  expect(entries).toEqual([
    expect.objectContaining({ status: 200, details: { admin_key, method: "tools/list", calls: 2 } }),
  ]);
  expect(entries[0]?.error).toBeUndefined();
  expect(await recordOf(async () => await send(plane.service, { method: "PUT", body: "{}" }))).toEqual([
    expect.objectContaining({ status: 405 }),
  ]);
  expect(JSON.stringify(gatewayLog.entries)).not.toContain(secret);
});
