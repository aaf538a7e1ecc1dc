import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { type LogbookHarness, newWireEntry, openHarness, type ShownPage, toMessage } from "./harness.ts";

interface SentRecord {
  readonly timeUnixNano: string;
  readonly severityText: string;
  readonly traceId?: string;
  readonly body: { readonly stringValue: string };
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, string>> }[];
}

interface Export {
  readonly resourceLogs: readonly { readonly scopeLogs: readonly { readonly logRecords: readonly SentRecord[] }[] }[];
}

/** A collector that answers as a test says, and keeps what it has taken. */
let collector: Server;
let url: string;
let records: SentRecord[] = [];
let statusOf: (body: string) => number = () => 200;
let harness: LogbookHarness;

beforeAll(async () => {
  harness = await openHarness();
  collector = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on("data", (chunk: Buffer) => chunks.push(chunk));
    req.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      const status = req.url === "/v1/logs" ? statusOf(body) : 404;
      if (status === 200) {
        const { resourceLogs } = JSON.parse(body) as Export;
        records.push(...resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords)));
      }
      res.writeHead(status, { "content-type": "application/json" }).end("{}");
    });
  });
  collector.listen(0, "127.0.0.1");
  await once(collector, "listening");
  url = `http://127.0.0.1:${(collector.address() as AddressInfo).port}/`;
});
afterAll(async () => {
  await harness.stop();
  collector.close();
});
beforeEach(() => {
  records = [];
  statusOf = () => 200;
});

/** Rows do not wait for the collector, so a test does. */
const waiting = { timeout: 20_000 };
const attributesOf = ({ attributes }: SentRecord) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value["stringValue"] ?? Number(value["intValue"])]));
const idsOf = (sent: readonly SentRecord[]) => sent.map((record) => attributesOf(record)["gatehouse.request_id"]);
const requestsOf = async (project: string) => {
  const text = "SELECT COALESCE(sum(requests), 0)::int AS requests FROM metric_minutes WHERE project_uuid = $1";
  const [row] = await harness.sql(text, [project]);
  return row?.["requests"];
};

test("an entry is sent to the collector under OpenTelemetry's names, and stored as a row", async () => {
  const { events, admin } = await harness.startReplica({ collector: url });
  const project = randomUUID();
  const trace = "0af7651916cd43dd8448eb211c80319c";
  const common = { project_uuid: project, at_ms: Date.now() };
  const answered = {
    request_id: "a",
    model: "m",
    prompt_tokens: 7,
    cost_micros: 12,
    trace_id: trace,
    details: { stream: true },
  };
  const failed = { request_id: "b", status: 503, error: "Provider call failed." };
  await events.publish("gateway_log", [
    toMessage([newWireEntry({ ...common, ...answered }), newWireEntry({ ...common, ...failed })]),
  ]);
  await vi.waitFor(() => expect(records).toHaveLength(2), waiting);
  const [first, second] = records;
  expect(first).toMatchObject({ timeUnixNano: `${common.at_ms}000000`, severityText: "INFO", traceId: trace });
  expect(first && attributesOf(first)).toMatchObject({
    "gatehouse.request_id": "a",
    "gatehouse.project": project,
    "http.response.status_code": 200,
    "gen_ai.request.model": "m",
    "gen_ai.usage.input_tokens": 7,
    "gatehouse.cost_micros": 12,
    "gatehouse.details.stream": "true",
  });
  expect(second).toMatchObject({ severityText: "ERROR", body: { stringValue: "Provider call failed." } });
  const known = { id: 1, uuid: project, name: "Shop" };
  const page = await admin.call<ShownPage>("svc_query_gateway_log", { project }, known);
  expect(page.entries).toHaveLength(2);
});

test("entries are sent and counted, and not found, when rows are off", async () => {
  const { events, admin } = await harness.startReplica({ collector: url, keepsRows: false });
  const project = randomUUID();
  const entries = Array.from({ length: 3 }, () => newWireEntry({ project_uuid: project }));
  await events.publish("gateway_log", [toMessage(entries)]);
  expect(records).toHaveLength(3);
  const known = { id: 1, uuid: project, name: "Shop" };
  expect((await admin.call<ShownPage>("svc_query_gateway_log", { project }, known)).entries).toEqual([]);
  expect(await requestsOf(project)).toBe(3);
});

test("entries are sent again after an outage of the collector and counted once, and /readyz reports the outage", async () => {
  const { events, service } = await harness.startReplica({ collector: url, keepsRows: false });
  const project = randomUUID();
  const message = toMessage([newWireEntry({ project_uuid: project, request_id: "late" })]);
  statusOf = () => 503;
  await expect(events.publish("gateway_log", [message])).rejects.toMatchObject({ code: "unavailable" });
  expect(await service.readiness()).toMatchObject({
    ready: true,
    problems: ["log export: entries wait, since the collector answers 503"],
  });
  statusOf = () => 200;
  await events.publish("gateway_log", [message]);
  expect(idsOf(records)).toEqual(["late"]);
  expect(await requestsOf(project)).toBe(1);
  expect(await service.readiness()).toEqual({ ready: true, problems: [] });
});

test("a message that the collector rejects delays no other", async () => {
  const { events } = await harness.startReplica({ collector: url });
  statusOf = (body) => (body.includes("poison") ? 400 : 200);
  await events.publish("gateway_log", [
    toMessage([newWireEntry({ request_id: "before" })]),
    toMessage([newWireEntry({ request_id: "poison" })]),
    toMessage([newWireEntry({ request_id: "after" })]),
  ]);
  await vi.waitFor(() => expect(idsOf(records)).toEqual(["before", "after"]), waiting);
});

test.each([401, 404, 503])("rows and counts do not wait for a collector that answers %i", async (status) => {
  const { events, admin, service } = await harness.startReplica({ collector: url });
  const project = randomUUID();
  statusOf = () => status;
  await events.publish("gateway_log", [toMessage([newWireEntry({ project_uuid: project, request_id: "kept" })])]);
  const known = { id: 1, uuid: project, name: "Shop" };
  expect((await admin.call<ShownPage>("svc_query_gateway_log", { project }, known)).entries).toHaveLength(1);
  expect(await requestsOf(project)).toBe(1);
  const problems = [`log export: entries wait in memory, since the collector answers ${status}`];
  await vi.waitFor(async () => expect(await service.readiness()).toEqual({ ready: true, problems }), waiting);
  statusOf = () => 200;
  await vi.waitFor(() => expect(idsOf(records)).toEqual(["kept"]), waiting);
  await vi.waitFor(async () => expect(await service.readiness()).toEqual({ ready: true, problems: [] }), waiting);
});

test("an invalid entry is counted while the collector is away", async () => {
  const { events, telemetry } = await harness.startReplica({ collector: url, keepsRows: false });
  statusOf = () => 503;
  const message = toMessage([newWireEntry(), newWireEntry({ duration_ms: "soon" })]);
  const refusedCount = async () => {
    const metric = await telemetry.metrics.getSingleMetric("gatehouse_logbook_refused_total")?.get();
    return metric?.values.find(({ labels }) => labels["log"] === "gateway_log")?.value ?? 0;
  };
  await expect(events.publish("gateway_log", [message])).rejects.toMatchObject({ code: "unavailable" });
  expect(await refusedCount()).toBe(1);
  await expect(events.publish("gateway_log", [message])).rejects.toMatchObject({ code: "unavailable" });
  expect(await refusedCount()).toBe(1);
});

test("a message repeated for days is remembered as long, and counted once", async () => {
  const { events } = await harness.startReplica({ collector: url, keepsRows: false });
  const project = randomUUID();
  const message = toMessage([newWireEntry({ project_uuid: project })]);
  statusOf = () => 503;
  for (let day = 0; day < 5; day += 1) {
    await expect(events.publish("gateway_log", [message])).rejects.toMatchObject({ code: "unavailable" });
    await harness.sql("UPDATE gateway_log_batches SET stored_at = stored_at - interval '1 day' WHERE id = $1", [
      message.id,
    ]);
    // Looks after what is remembered, at its start.
    await harness.startReplica();
  }
  expect(await requestsOf(project)).toBe(1);
});
