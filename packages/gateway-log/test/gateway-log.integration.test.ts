import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GatewayError } from "@gatehouse/errors";
import type { EventTransport, StreamMessage } from "@gatehouse/events";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { gatewayLogBounds as bounds } from "../src/bounds.ts";
import { createGatewayLog, type GatewayLog } from "../src/index.ts";

let spillFolder: string;
const running: GatewayLog[] = [];

beforeEach(async () => {
  spillFolder = await mkdtemp(join(tmpdir(), "gatehouse-log-"));
});

afterEach(async () => {
  await Promise.all(running.splice(0).map(async (each) => await each.stop()));
  await rm(spillFolder, { recursive: true });
});

/** A transport that can be blocked, with the messages it has carried. */
function createWay() {
  const messages: StreamMessage[] = [];
  const way = { messages, answer: async (): Promise<void> => {}, attempts: 0 };
  const transport: EventTransport = {
    consume: () => {},
    start: async () => {},
    stop: async () => {},
    onStored: () => () => {},
    isConnected: () => true,
    problems: async () => [],
    async publish(_stream, published) {
      way.attempts += 1;
      await way.answer();
      messages.push(...published);
    },
  };
  return { way, transport };
}

function open(transport: EventTransport) {
  const { log, metrics } = createSilentTelemetry();
  const gatewayLog = createGatewayLog({ transport, spillFolder, log, metrics });
  running.push(gatewayLog);
  return { gatewayLog, metrics };
}

const blocked = async () => await Promise.reject(new GatewayError("unavailable", "blocked"));
const append = (gatewayLog: GatewayLog, from: number, count = 1) => {
  for (let at = from; at < from + count; at += 1) {
    gatewayLog.append({ atMs: at, requestId: `r${at}`, route: "chat_direct", status: 200, durationMs: 1 });
  }
};
const ids = (messages: readonly StreamMessage[]) =>
  messages.flatMap(({ body }) => (JSON.parse(body) as { request_id: string }[]).map((entry) => entry.request_id));
const idsUpTo = (count: number) => Array.from({ length: count }, (_, at) => `r${at}`);
const wait = { timeout: 15_000, interval: 10 };

test("entries are published together within the flush interval, in one message", async () => {
  const { way, transport } = createWay();
  const { gatewayLog } = open(transport);
  await gatewayLog.start();
  append(gatewayLog, 0, 20);
  await vi.waitFor(() => expect(ids(way.messages)).toEqual(idsUpTo(20)), wait);
  expect(way.messages).toHaveLength(1);
});

test("a stop publishes the waiting entries", async () => {
  const { way, transport } = createWay();
  const { gatewayLog } = open(transport);
  append(gatewayLog, 0, 3);
  await gatewayLog.stop();
  expect(ids(way.messages)).toEqual(idsUpTo(3));
  expect(await readdir(spillFolder)).toEqual([]);
});

test("entries wait while publishing is blocked, and arrive in order and once afterwards", async () => {
  const { way, transport } = createWay();
  way.answer = blocked;
  const { gatewayLog } = open(transport);
  append(gatewayLog, 0, 3);
  // From the second failure on they are on disk.
  await vi.waitFor(async () => expect(await readdir(spillFolder)).not.toEqual([]), wait);
  append(gatewayLog, 3, 3);
  way.answer = async () => {};
  await vi.waitFor(() => expect(ids(way.messages)).toEqual(idsUpTo(6)), wait);
  await vi.waitFor(async () => expect(await readdir(spillFolder)).toEqual([]), wait);
});

test("a batch that was spilled and replayed equals one that was published at once", async () => {
  const { way, transport } = createWay();
  const odd = { atMs: 1, requestId: "a\0b", error: "\ud800", durationMs: Number.NaN, details: { tool: "\0" } };
  const appendOdd = (gatewayLog: GatewayLog) => gatewayLog.append({ ...odd, route: "chat_direct", status: 200 });
  appendOdd(open(transport).gatewayLog);
  await vi.waitFor(() => expect(way.messages).toHaveLength(1), wait);
  way.answer = blocked;
  const second = open(transport).gatewayLog;
  appendOdd(second);
  await second.stop();
  way.answer = async () => {};
  await open(transport).gatewayLog.start();
  await vi.waitFor(() => expect(way.messages).toHaveLength(2), wait);
  const [atOnce, replayed] = way.messages;
  expect(replayed?.body).toBe(atOnce?.body);
});

test("entries beyond the memory's bound go to disk, and arrive in order", async () => {
  const { way, transport } = createWay();
  way.answer = blocked;
  const { gatewayLog, metrics } = open(transport);
  append(gatewayLog, 0);
  await vi.waitFor(() => expect(way.attempts).toBeGreaterThan(0), wait);
  const count = bounds.entriesInMemoryMax + 10;
  append(gatewayLog, 1, count - 1);
  await vi.waitFor(async () => expect((await readdir(spillFolder)).length).toBeGreaterThan(0), wait);
  way.answer = async () => {};
  await vi.waitFor(() => expect(ids(way.messages)).toEqual(idsUpTo(count)), wait);
  expect(await metrics.metrics()).not.toContain('outcome="dropped"');
});

test("a disk that fails is not tried again for each entry", async () => {
  const { way, transport } = createWay();
  way.answer = blocked;
  const { log, metrics } = createSilentTelemetry();
  let refusals = 0;
  vi.spyOn(log, "error").mockImplementation(() => void (refusals += 1));
  const gatewayLog = createGatewayLog({ transport, spillFolder, log, metrics });
  append(gatewayLog, 0);
  await vi.waitFor(() => expect(way.attempts).toBeGreaterThan(0), wait);
  // Occupies the file's path.
  await mkdir(join(spillFolder, "gateway-log-batches.open"));
  append(gatewayLog, 1, bounds.entriesInMemoryMax);
  await vi.waitFor(() => expect(refusals).toBeGreaterThan(0), wait);
  const before = { refusals, attempts: way.attempts };
  for (let at = 0; at < 200; at += 1) {
    append(gatewayLog, at);
    // Time for an attempt to end.
    for (let reads = 0; reads < 5; reads += 1) await readdir(spillFolder);
  }
  // Each failed publication tries the disk too, at growing intervals.
  expect(refusals - before.refusals).toBeLessThanOrEqual(way.attempts - before.attempts + 1);
  way.answer = async () => {};
  await gatewayLog.stop();
});

test("entries beyond twice the bound are dropped and counted", async () => {
  const { way, transport } = createWay();
  way.answer = blocked;
  const { gatewayLog, metrics } = open(transport);
  // Synchronously, so that nothing is spilled in between.
  append(gatewayLog, 0, 2 * bounds.entriesInMemoryMax + 5);
  expect(await metrics.metrics()).toContain('gatehouse_gateway_log_entries_total{outcome="dropped"} 5');
});

test("entries that a process could not publish before its end are published once by the next", async () => {
  const { way, transport } = createWay();
  way.answer = blocked;
  const first = open(transport).gatewayLog;
  append(first, 0, 3);
  await first.stop();
  expect(way.messages).toEqual([]);
  way.answer = async () => {};
  const second = open(transport).gatewayLog;
  await second.start();
  append(second, 3);
  await vi.waitFor(() => expect(ids(way.messages)).toEqual(idsUpTo(4)), wait);
});

test("a publication without an answer is kept for the next start under the same id", async () => {
  const { way, transport } = createWay();
  const published: string[] = [];
  way.answer = async () => await new Promise<void>(() => {});
  const spied: EventTransport = {
    ...transport,
    async publish(stream, messages) {
      published.push(...messages.map(({ id }) => id));
      await transport.publish(stream, messages);
    },
  };
  const first = open(spied).gatewayLog;
  append(first, 0);
  await first.stop();
  way.answer = async () => {};
  const second = open(spied).gatewayLog;
  await second.start();
  await vi.waitFor(() => expect(ids(way.messages)).toEqual(["r0"]), wait);
  expect(new Set(published).size).toBe(1);
});

test("a folder that cannot be listed at the start delays its own entries, and no newer ones", async () => {
  const { way, transport } = createWay();
  way.answer = blocked;
  const first = open(transport).gatewayLog;
  append(first, 0, 2);
  await first.stop();
  // Takes the place of the folder.
  const aside = `${spillFolder}.aside`;
  await rename(spillFolder, aside);
  await writeFile(spillFolder, "");
  way.answer = async () => {};
  const second = open(transport).gatewayLog;
  await second.start();
  append(second, 2, 2);
  await vi.waitFor(() => expect(ids(way.messages)).toEqual(["r2", "r3"]), wait);
  expect(second.notices()).toEqual([
    `entries of the gateway log in ${spillFolder} cannot be read (ENOTDIR): they wait, and newer ones go out`,
  ]);
  append(second, 4);
  await vi.waitFor(() => expect(ids(way.messages)).toContain("r4"), wait);
  await rm(spillFolder);
  await rename(aside, spillFolder);
  // Without a further entry.
  await vi.waitFor(() => expect(ids(way.messages)).toEqual(["r2", "r3", "r4", "r0", "r1"]), wait);
  await vi.waitFor(() => expect(second.notices()).toEqual([]), wait);
});
