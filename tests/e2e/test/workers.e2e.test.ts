import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { send } from "../src/chat-client.ts";
import { startChild } from "../src/child.ts";
import { createProject, type Json } from "../src/control-plane-client.ts";
import { exchange } from "../src/exchange.ts";
import { allowLoopback } from "../src/product-world.ts";
import { startStandalone } from "../src/product.ts";
import { answer, silence } from "../src/scripted-provider.ts";
import { describeNames, otherNames } from "./suite/name-suite.ts";
import { createWorld, type World } from "./suite/world.ts";

/** The product with several processes that answer calls on one port. */

const workers = 2;
/** Number of calls after which each worker has had one: the kernel distributes connections by address. */
const callsOfAll = 100;

let world: World;
beforeAll(async () => {
  world = await createWorld(
    async () => await startStandalone({ env: { WORKERS: String(workers), ...allowLoopback, ...otherNames.env } }),
  );
  world.primary.play(answer("ok"));
});
afterAll(async () => await world.stop());

interface Reply {
  readonly status: number;
  readonly requestId: string;
}

interface Call {
  readonly path: string;
  readonly token: string;
  readonly agent?: Agent;
}

/** A chat call, on a new connection without a keep-alive agent. @throws the platform's error */
async function call({ path, token, agent }: Call): Promise<Reply> {
  return await new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const asked = request(
      `${world.product.url}${path}`,
      { method: "POST", headers, agent: agent ?? false },
      (reply) => {
        reply.resume();
        reply.once("error", reject);
        reply.once("end", () =>
          resolve({ status: reply.statusCode ?? 0, requestId: String(reply.headers["x-request-id"]) }),
        );
      },
    );
    asked.once("error", reject);
    asked.end(JSON.stringify({ message: "x" }));
  });
}

async function callOften(count: number, target: Call): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (let made = 0; made < count; made++) statuses.push((await call(target)).status);
  return statuses;
}

/** Ids of the worker processes. */
function workerPids(): readonly number[] {
  const pid = world.product.processes[0]?.process.pid;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number);
  return children.filter((child) => readFileSync(`/proc/${child}/cmdline`, "utf8").includes("worker.js"));
}

async function limited(settings: Json, endpoint: Json = {}): Promise<Call> {
  const { project, token } = await createProject(world.control, settings);
  const targets = [{ provider: world.primaryName, model: "m" }];
  await world.control.call("svc_create_endpoint", { project, slug: "s", targets, ...endpoint });
  return { path: `/api/${project}/s`, token };
}

test("every worker answers calls, and the metrics of all have one address", async () => {
  expect(workerPids()).toHaveLength(workers);
  const { path } = await world.endpoint();
  expect(new Set(await callOften(callsOfAll, { path, token: world.token }))).toEqual(new Set([200]));
  const metrics = await (await fetch(`${world.product.operationsUrl}/metrics`)).text();
  for (const worker of ["worker-1", "worker-2"])
    expect(metrics).toMatch(
      new RegExp(`gatehouse_router_requests_total\\{route="chat_direct",status="200",process="${worker}"\\} [1-9]`),
    );
  expect(metrics).toContain('process_cpu_seconds_total{process="primary"}');
});

test("a limit holds over all workers", async () => {
  const limit = 30;
  const target = await limited({ rate_limit_per_minute: null, rate_limit_per_hour: limit });
  const statuses = await callOften(2 * limit, target);
  expect(statuses.filter((status) => status === 200)).toHaveLength(limit);
  expect(statuses.filter((status) => status === 429)).toHaveLength(limit);
});

test("concurrent calls of all workers use a budget up without overspending it", async () => {
  const price = { input_price_per_million: 1_000, output_price_per_million: 1_000 };
  const targets = [{ provider: world.primaryName, model: "m", ...price }];
  // The scripted provider reports 10 tokens: 0.01 dollars a call.
  const target = await limited({}, { targets, monthly_budget_usd: 0.1, parameters: { max_tokens: 3 } });
  let admitted = 0;
  for (let refusals = 0; refusals < 20;) {
    const replies = await Promise.all(Array.from({ length: 6 }, async () => await call(target)));
    admitted += replies.filter(({ status }) => status === 200).length;
    refusals += replies.filter(({ status }) => status === 422).length;
    expect(replies.filter(({ status }) => ![200, 422, 429].includes(status))).toEqual([]);
  }
  expect(admitted).toBe(10);
});

test("a revoked token is refused by every worker", async () => {
  const { project, token, tokenId } = await createProject(world.control);
  const targets = [{ provider: world.primaryName, model: "m" }];
  await world.control.call("svc_create_endpoint", { project, slug: "s", targets });
  const target = { path: `/api/${project}/s`, token };
  await callOften(callsOfAll / 2, target);
  await world.control.call("svc_revoke_token", { token_id: tokenId });
  // The contract permits 5 s; on an idle machine a change is in force within 250 ms.
  await expect
    .poll(async () => new Set(await callOften(callsOfAll / 5, target)), { timeout: 5_000 })
    .toEqual(new Set([401]));
});

test("a cancellation on another connection reaches the call, whichever worker has it", async () => {
  const { project, token } = await createProject(world.control, { scopes: ["mcp"] });
  const targets = [{ provider: world.primaryName, model: "m" }];
  await world.control.call("svc_create_endpoint", { project, slug: "tool", targets, expose_as_mcp_tool: true });
  world.primary.play(silence);
  const post = async (message: Json) =>
    await exchange(`${world.product.url}/api/${project}/mcp`, { token, body: { jsonrpc: "2.0", ...message } });
  const params = { name: "tool", arguments: { message: "x" } };
  const ids = Array.from({ length: 12 }, (_, id) => id);
  const calls = ids.map(async (id) => await post({ id, method: "tools/call", params }));
  await expect.poll(() => world.primary.received.length).toBe(ids.length);
  for (const requestId of ids) await post({ method: "notifications/cancelled", params: { requestId } });
  await Promise.all([...calls, ...world.primary.received.map(async ({ left }) => await left)]);
  world.primary.play(answer("ok"));
});

async function listLogged(): Promise<ReadonlySet<string>> {
  const { entries } = await world.control.call<{ entries: readonly { request_id: string }[] }>(
    "svc_query_gateway_log",
    {
      project: world.project,
      limit: 200,
    },
  );
  return new Set(entries.map(({ request_id: id }) => id));
}

test("a killed worker is replaced, and loses no recorded call", async () => {
  const { path } = await world.endpoint();
  const target = { path, token: world.token };
  const ids: string[] = [];
  const missing = async () => {
    const logged = await listLogged();
    return ids.filter((id) => !logged.has(id));
  };
  for (let made = 0; made < 40; made++) ids.push((await call(target)).requestId);
  await expect.poll(missing, { timeout: 10_000 }).toEqual([]);
  const [killed = 0] = workerPids();
  process.kill(killed, "SIGKILL");
  await expect.poll(() => workerPids().filter((pid) => pid !== killed).length, { timeout: 30_000 }).toBe(workers);
  await expect
    .poll(async () => await (await fetch(`${world.product.operationsUrl}/readyz`)).json(), { timeout: 30_000 })
    .toEqual({ ok: true, problems: [] });
  // Connections made meanwhile have waited for the replacement.
  expect(new Set(await callOften(callsOfAll / 2, target))).toEqual(new Set([200]));
  expect(await missing()).toEqual([]);
}, 60_000);

test("no call fails while the workers are replaced one after the other", async () => {
  const target = await limited({ rate_limit_per_minute: null, rate_limit_per_hour: null });
  const before = workerPids();
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const over = new AbortController();
  const statuses: (number | string)[] = [];
  const calls: Promise<void>[] = [];
  const note = async (asked: Call) => {
    statuses.push(
      await call(asked).then(
        ({ status }) => status,
        (err: Error) => err.message,
      ),
    );
  };
  const load = (async () => {
    while (!over.signal.aborted) {
      calls.push(note(target), note({ ...target, agent }));
      await delay(20);
    }
  })();
  world.product.processes[0]?.process.kill("SIGHUP");
  await expect.poll(() => world.product.output(), { timeout: 60_000 }).toContain("All workers are replaced.");
  over.abort();
  await load;
  await Promise.all(calls);
  agent.destroy();
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
  expect(statuses.length).toBeGreaterThan(50);
  expect(workerPids().filter((pid) => before.includes(pid))).toEqual([]);
}, 90_000);

test("a session continues in any worker", async () => {
  const { path, token } = await limited({});
  const body = { message: "hello", session_id: crypto.randomUUID() };
  for (let turn = 0; turn < 6; turn++) {
    const { status } = await send(world.product, path, { token, body, headers: { connection: "close" } });
    expect(status).toBe(200);
  }
  expect(world.primary.received.at(-1)?.body.messages).toHaveLength(11);
});

describe("names of settings", () => describeNames(() => world, otherNames));

describe("WORKERS", () => {
  test.each(["0", "abc", "1000", "1.5"])("%s stops the start", async (value) => {
    const child = startChild("deploy/standalone/dist/bundle/main.js", { WORKERS: value });
    const code = await new Promise((resolve) => child.process.once("close", resolve));
    expect(code).toBe(2);
    expect(child.output()).toContain("WORKERS must be auto, or a whole number from 1 to 64");
  });
});
