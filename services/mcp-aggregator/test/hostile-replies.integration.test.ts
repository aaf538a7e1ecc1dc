import type { ServerResponse } from "node:http";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { lapse } from "@gatehouse/async/testing";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { callTool, newProject, register, startAggregator, type TestAggregator, toolNames } from "./aggregator.ts";
import { bareHandler, type FakeUpstream, startUpstream, type UpstreamHandler } from "./fake-upstream.ts";
import { hostileHandler, hostileReplies, type HostileReply, type Shape, shapes } from "./hostile-replies.ts";
import { sseUpstream } from "./sse-upstream.ts";

const mebibyte = 1024 * 1024;
/**
 * Bound of an exchange, far below the time-outs and far above the work, in this process's own time: ticks of a timer, which a process
 * without a core gets few of, and CPU time of its threads.
 */
const exchangeMsMax = 5_000;
const turnMs = 50;

let aggregator: TestAggregator;
let healthy: FakeUpstream;
const started: FakeUpstream[] = [];

beforeAll(async () => {
  aggregator = await startAggregator({ bounds: { listTotalTimeoutMs: 60_000 } });
  healthy = await startUpstream(bareHandler());
});

afterAll(async () => {
  await aggregator.stop();
  await Promise.all([healthy, ...started].map(async (upstream) => await upstream.stop()));
});

/** For what is to be answered, on a machine with little time as well. */
const patient = { list_timeout_ms: 60_000 };

/** A project with a hostile upstream `bad` and a healthy one `good`. */
async function besideHealthy(handler: UpstreamHandler, settings: object = {}) {
  const bad = await startUpstream(handler);
  started.push(bad);
  const project = newProject();
  await register(aggregator, project, { prefix: "bad", url: bad.url, settings });
  await register(aggregator, project, { prefix: "good", url: healthy.url, settings: patient });
  return { project, bad };
}

async function within<T>(work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const beganAt = process.cpuUsage();
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
    const { user, system } = process.cpuUsage(beganAt);
    // Upstream and aggregator share the process, and threads work beside them: two cores for that time.
    const workMs = (user + system) / 1_000 / 2;
    if (Math.max(turns * turnMs, workMs) > exchangeMsMax)
      reject(new Error(`It took more than ${exchangeMsMax} ms of this process.`));
  }, turnMs);
  return await Promise.race([work, promise]).finally(() => clearInterval(timer));
}

/**
 * A call and a list of both upstreams run concurrently: the hostile one ends in bounded time without an effect on the healthy
 * one.
 */
async function expectHarmless(handler: UpstreamHandler): Promise<void> {
  const { project, bad } = await besideHealthy(handler);
  const [called, names, served] = await within(
    Promise.all([
      callTool(aggregator, project, { name: "bad__echo", arguments: {} }),
      toolNames(aggregator, project),
      callTool(aggregator, project, { name: "good__echo", arguments: {} }),
    ]),
  );
  expect(served.result?.isError).toBe(false);
  expect(names).toContain("good__echo");
  if (called.result === undefined) expect(called.error?.message).toMatch(/^Upstream 'bad' |^e+$/);
  await bad.stop();
}

test.each(Object.keys(shapes) as Shape[])("%s, in gzip, ends its own exchange only", async (json) => {
  for (const transport of ["json", "events"] as const) {
    await expectHarmless(hostileHandler({ json, transport, encoding: "gzip", damage: "none" }));
  }
});

test("any shape in any encoding, with any damage, ends its own exchange only", async () => {
  const seen = async (reply: HostileReply) => await expectHarmless(hostileHandler(reply));
  await fc.assert(fc.asyncProperty(hostileReplies, seen), { numRuns: 60, seed: 20_261_122 });
}, 120_000);

/** Writes `piece` endlessly, as fast as it is read. @returns the number of bytes written */
function flood(res: ServerResponse, piece: Buffer): { bytes: number } {
  const written = { bytes: 0 };
  const more = () => {
    while (!res.destroyed) {
      written.bytes += piece.length;
      if (!res.write(piece)) break;
    }
  };
  res.on("drain", more);
  more();
  return written;
}

const bomb = brotliCompressSync(Buffer.alloc(64 * mebibyte, 0x20), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
const emptyMembers = Buffer.concat(Array.from({ length: 3_000 }, () => gzipSync("")));
const events = { "content-type": "text/event-stream" };
const json = { "content-type": "application/json" };

test.each<readonly [string, UpstreamHandler]>([
  ["a line without an end", (_request, res) => void flood(res.writeHead(200, events), Buffer.alloc(65_536, 0x61))],
  [
    "an event without an end",
    (_request, res) => void flood(res.writeHead(200, events), Buffer.from("data: x\n".repeat(8_192))),
  ],
  [
    "events without an end",
    (_request, res) => void flood(res.writeHead(200, events), Buffer.from("data: 1\n\n".repeat(8_192))),
  ],
  [
    "comments without an end",
    (_request, res) => void flood(res.writeHead(200, events), Buffer.from(":\n".repeat(32_768))),
  ],
  ["a body without an end", (_request, res) => void flood(res.writeHead(200, json), Buffer.alloc(65_536, 0x20))],
  [
    "empty gzip members without an end",
    (_request, res) => void flood(res.writeHead(200, { ...json, "content-encoding": "gzip" }), emptyMembers),
  ],
  ["a bomb", (_request, res) => void res.writeHead(200, { ...json, "content-encoding": "br" }).end(bomb)],
])("%s is cut off at the bound of a reply", async (_name, handler) => {
  await expectHarmless(handler);
});

test("a session's stream that floods is closed, in bounded memory", async () => {
  const written: { bytes: number }[] = [];
  const { project } = await besideHealthy(
    sseUpstream((stream) => written.push(flood(stream, Buffer.from(`data: ${"x".repeat(65_000)}\n`)))),
  );
  const before = process.memoryUsage().rss;
  const { error } = await within(callTool(aggregator, project, { name: "bad__echo", arguments: {} }));
  expect(error?.message).toBe("Upstream 'bad' sent a response that is too large.");
  // Bytes in the sockets' buffers were written but not read.
  expect(written[0]?.bytes).toBeLessThan(64 * mebibyte);
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * mebibyte);
});

test("the time-out of a call ends the reading of an answer that arrives byte by byte", async () => {
  let closed: Promise<unknown> | undefined;
  const handler = sseUpstream((stream) => {
    closed = new Promise((resolve) => stream.once("close", resolve));
    const timer = setInterval(() => stream.write("data: x\n"), 20);
    stream.once("close", () => clearInterval(timer));
  });
  const { project } = await besideHealthy(handler, { call_timeout_ms: 300 });
  const { error } = await callTool(aggregator, project, { name: "bad__echo", arguments: {} });
  expect(error?.message).toBe("Upstream 'bad' did not answer in time.");
  await within(closed ?? Promise.reject(new Error("There was no call.")));
});

test("an upstream's own requests are answered a few at a time", async () => {
  let open = 0;
  let most = 0;
  const released = Promise.withResolvers<undefined>();
  const { project } = await besideHealthy(({ body }, res) => {
    if (body.method === undefined) {
      open += 1;
      most = Math.max(most, open);
      void released.promise.then(() => {
        open -= 1;
        return res.writeHead(202).end();
      });
      return;
    }
    const answer = JSON.stringify({ jsonrpc: "2.0", id: body.id, result: { content: [] } });
    res.writeHead(200, events).end(`data: [${'{"jsonrpc":"2.0","id":1,"method":"ping"},'.repeat(5_000)}${answer}]\n\n`);
  });
  const { result } = await within(callTool(aggregator, project, { name: "bad__echo", arguments: {} }));
  expect(result?.isError).toBe(false);
  await vi.waitFor(() => expect(open).toBe(8));
  await lapse(50, "a ninth would come while eight are open");
  released.resolve(undefined);
  await vi.waitFor(() => expect(open).toBe(0));
  expect(most).toBeLessThanOrEqual(8);
});

test("a flooding reply to the gateway's answer to an upstream is not read to its end", async () => {
  const flooding = Promise.withResolvers<{ bytes: number }>();
  const closed = Promise.withResolvers<undefined>();
  const { project } = await besideHealthy(({ body }, res) => {
    if (body.method === undefined) {
      res.once("close", () => closed.resolve(undefined));
      flooding.resolve(flood(res.writeHead(200, events), Buffer.from(`:${"x".repeat(65_534)}\n`)));
      return;
    }
    const answer = JSON.stringify({ jsonrpc: "2.0", id: body.id, result: { content: [] } });
    res.writeHead(200, events).write('data: {"jsonrpc":"2.0","id":1,"method":"ping"}\n\n');
    void flooding.promise.then(() => res.end(`data: ${answer}\n\n`));
  });
  const { result } = await within(callTool(aggregator, project, { name: "bad__echo", arguments: {} }));
  expect(result?.isError).toBe(false);
  await within(closed.promise);
  // Bytes in the sockets' buffers were written but not read.
  expect((await flooding.promise).bytes).toBeLessThan(12 * mebibyte);
});
