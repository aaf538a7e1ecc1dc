import { Client as NextClient, StreamableHTTPClientTransport as NextTransport } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type Caller,
  callerHeaders,
  newProject,
  register,
  startAggregator,
  type TestAggregator,
  toolNames,
  listUpstreams,
} from "./aggregator.ts";
import { bareHandler, echoTool, type FakeUpstream, startUpstream } from "./fake-upstream.ts";
import { toolCorpus } from "./tool-corpus.ts";

let aggregator: TestAggregator;
let upstream: FakeUpstream;
let added: readonly object[] = [];

const healthy = ["first", "middle", "last"].map((name) => echoTool(name));
const [first, middle, last] = healthy;
const shapes = toolCorpus.map(({ tool }) => tool);
const half = Math.floor(shapes.length / 2);

beforeAll(async () => {
  aggregator = await startAggregator();
  const tools = [first, ...shapes.slice(0, half), middle, ...shapes.slice(half), last, echoTool("first")];
  upstream = await startUpstream(bareHandler(() => [...tools, ...added]));
});

afterAll(async () => {
  await aggregator.stop();
  await upstream.stop();
});

async function registered(settings: object = {}): Promise<Caller> {
  const project = newProject();
  await register(aggregator, project, { prefix: "u", url: upstream.url, settings });
  return project;
}

function nameOf(tool: unknown): string {
  return `u__${(tool as { readonly name: string }).name}`;
}

const expected = [
  nameOf(first),
  ...toolCorpus
    .slice(0, half)
    .filter(({ listed }) => listed)
    .map(({ tool }) => nameOf(tool)),
  nameOf(middle),
  ...toolCorpus
    .slice(half)
    .filter(({ listed }) => listed)
    .map(({ tool }) => nameOf(tool)),
  nameOf(last),
];

test("the corpus has at least forty shapes", () => {
  expect(toolCorpus.length).toBeGreaterThanOrEqual(40);
});

test("every valid tool is listed in order, and each of the others is named with its reason", async () => {
  const project = await registered();
  expect(await toolNames(aggregator, project)).toEqual(expected);
  const { upstreams } = await listUpstreams(aggregator, project);
  const quarantined = upstreams[0]?.state.quarantined_tools ?? [];
  expect(quarantined).toHaveLength(toolCorpus.filter(({ listed }) => !listed).length + 1);
  expect(quarantined.every(({ name, reason }) => name !== "" && reason !== "")).toBe(true);
});

test.each([
  ["three members of each tool", {}],
  ["every other known member", { pass_metadata: true }],
])("official clients of both generations accept the whole list with %s", async (_what, settings) => {
  const project = await registered(settings);
  const url = new URL(`${aggregator.origin}/api/${project.projectUuid}/mcp`);
  const requestInit = { headers: callerHeaders(project) };
  const old = new Client({ name: "test", version: "1" });
  const transport = new StreamableHTTPClientTransport(url, { requestInit });
  await old.connect(transport);
  expect((await old.listTools()).tools.map(({ name }) => name)).toEqual(expected);
  await old.close();

  const next = new NextClient({ name: "test", version: "1" });
  await next.connect(new NextTransport(url, { requestInit }));
  expect((await next.listTools()).tools.map(({ name }) => name)).toEqual(expected);
  await next.close();
});

test("a list has no half of a surrogate pair, which stricter decoders refuse", async () => {
  const project = await registered({ pass_metadata: true });
  const reply = await fetch(`${aggregator.origin}/api/${project.projectUuid}/mcp`, {
    method: "POST",
    headers: { ...callerHeaders(project), "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  });
  const text = await reply.text();
  expect(text).toContain("a\uFFFDb");
  expect(text).not.toMatch(/\\ud[89a-f]/i);
});

test("a further tool is stored beside tools of every shape", async () => {
  const project = await registered({ on_tools_changed: "block" });
  const { upstreams } = await listUpstreams(aggregator, project);
  const asked = { upstream_id: upstreams[0]?.id };
  await aggregator.admin.call("svc_refresh_upstream", asked);
  added = [echoTool('a "later" \\ tool')];
  await aggregator.admin.call("svc_refresh_upstream", asked);
  added = [];
  const { tools } = await aggregator.admin.call<{ readonly tools: readonly { readonly name: string }[] }>(
    "svc_list_upstream_tools",
    { ...asked, limit: 200 },
  );
  expect(tools.map(({ name }) => name)).toContain('a "later" \\ tool');
});
