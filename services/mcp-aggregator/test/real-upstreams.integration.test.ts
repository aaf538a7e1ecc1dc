import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  callTool,
  newProject,
  register,
  startAggregator,
  type TestAggregator,
  toolNames,
  listUpstreams,
} from "./aggregator.ts";
import { bareHandler, type FakeUpstream, startUpstream } from "./fake-upstream.ts";
import { fileOf, ownFile, type ServerProcess, startServer } from "./server-process.ts";
import { startSessionUpstream } from "./session-upstream.ts";

interface RealServer {
  readonly name: string;
  readonly start: (folder: string) => Promise<ServerProcess>;
  readonly path: string;
  readonly era: string;
  /** One tool of it, and a part of its answer. */
  readonly call: (folder: string) => { readonly name: string; readonly arguments: object; readonly expected: string };
}

const everything = fileOf("@modelcontextprotocol/server-everything", "dist/index.js");
const memory = fileOf("@modelcontextprotocol/server-memory", "dist/index.js");
const filesystem = fileOf("@modelcontextprotocol/server-filesystem", "dist/index.js");
const thinking = fileOf("@modelcontextprotocol/server-sequential-thinking", "dist/index.js");
const supergateway = fileOf("supergateway", "dist/index.js");
const mcpProxy = fileOf("mcp-proxy", "dist/bin/mcp-proxy.mjs");

const echo = () => ({ name: "echo", arguments: { message: "hello" }, expected: "Echo: hello" });
const think = () => ({
  name: "sequentialthinking",
  arguments: { thought: "a", nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
  expected: '"thoughtNumber": 1',
});

const servers: readonly RealServer[] = [
  {
    name: "server-everything, streamable HTTP",
    start: async () => await startServer(() => [everything, "streamableHttp"]),
    path: "/mcp",
    era: "session",
    call: echo,
  },
  {
    name: "server-everything, HTTP with server-sent events",
    start: async () => await startServer(() => [everything, "sse"]),
    path: "/sse",
    era: "sse",
    call: echo,
  },
  {
    name: "server-memory behind mcp-proxy",
    start: async () => await startServer((port) => [mcpProxy, "--port", String(port), "--", process.execPath, memory]),
    path: "/mcp",
    era: "session",
    call: () => ({ name: "read_graph", arguments: {}, expected: "entities" }),
  },
  {
    name: "server-filesystem behind supergateway, with sessions",
    start: async (folder) => {
      const stdio = `${process.execPath} ${filesystem} ${folder}`;
      const options = ["--stdio", stdio, "--outputTransport", "streamableHttp", "--stateful"];
      return await startServer((port) => [supergateway, ...options, "--port", String(port)]);
    },
    path: "/mcp",
    era: "session",
    call: (folder) => ({
      name: "read_text_file",
      arguments: { path: join(folder, "a.txt") },
      expected: "content of a",
    }),
  },
  {
    name: "server-sequential-thinking behind supergateway, without sessions",
    start: async () => {
      const options = ["--stdio", `${process.execPath} ${thinking}`, "--outputTransport", "streamableHttp"];
      return await startServer((port) => [supergateway, ...options, "--port", String(port)]);
    },
    path: "/mcp",
    era: "bare",
    call: think,
  },
  {
    name: "a server of SDK v1 that answers JSON and keeps sessions",
    start: async () => await startServer(() => [ownFile("servers/json-session.ts")]),
    path: "/mcp",
    era: "session",
    call: () => ({ name: "count", arguments: { owner: "x" }, expected: "x " }),
  },
  {
    name: "a server of SDK v2 that speaks 2026-07-28 only",
    start: async () => await startServer(() => [ownFile("servers/modern-only.ts")]),
    path: "/mcp",
    era: "modern",
    call: echo,
  },
  // The fakes of the other tests, which must behave like real servers.
  {
    name: "the upstream without sessions of the other tests",
    start: async () => await startFake(async (port) => await startUpstream(bareHandler(), port)),
    path: "/mcp",
    era: "bare",
    call: () => ({ name: "echo", arguments: { message: "hello" }, expected: "hello" }),
  },
  {
    name: "the upstream with sessions of the other tests",
    start: async () => await startFake(async (port) => await startSessionUpstream({ refusal: "404", port })),
    path: "/mcp",
    era: "session",
    call: () => ({ name: "whoami", arguments: { message: "hello" }, expected: "hello" }),
  },
];

/** @param open starts one at a port; 0: any */
async function startFake(open: (port: number) => Promise<FakeUpstream>): Promise<ServerProcess> {
  let upstream = await open(0);
  const port = Number(new URL(upstream.url).port);
  return {
    port,
    kill: async () => await upstream.stop(),
    async restart() {
      upstream = await open(port);
    },
  };
}

let aggregator: TestAggregator;
let folder: string;

beforeAll(async () => {
  aggregator = await startAggregator();
  folder = await realpath(await mkdtemp(join(tmpdir(), "gatehouse-mcp-")));
  await writeFile(join(folder, "a.txt"), "content of a");
});

afterAll(async () => {
  await aggregator.stop();
  await rm(folder, { recursive: true, force: true });
});

describe.each(servers)("$name", ({ start, path, era, call }) => {
  let server: ServerProcess;
  const project = newProject();

  beforeAll(async () => {
    server = await start(folder);
    await register(aggregator, project, { prefix: "up", url: `http://127.0.0.1:${server.port}${path}` });
  });

  afterAll(async () => await server.kill());

  async function expectCall(): Promise<void> {
    const { expected, ...tool } = call(folder);
    const { result, error } = await callTool(aggregator, project, { ...tool, name: `up__${tool.name}` });
    expect(error).toBeUndefined();
    expect(result?.isError).toBe(false);
    expect(result?.content?.[0]?.text).toContain(expected);
  }

  test("its tools are listed and called in its protocol mode", async () => {
    expect(await toolNames(aggregator, project)).toContain(`up__${call(folder).name}`);
    await expectCall();
    const { upstreams } = await listUpstreams(aggregator, project);
    expect(upstreams[0]?.state).toMatchObject({ era, health: "reachable", last_error: null, quarantined_tools: [] });
  });

  test("killed, its tools are listed and calls fail; restarted, the next call succeeds", async () => {
    await server.kill();
    expect(await toolNames(aggregator, project)).toContain(`up__${call(folder).name}`);
    const { error } = await callTool(aggregator, project, { name: `up__${call(folder).name}` });
    expect(error?.code).toBe(-32603);
    expect(error?.message).toMatch(/^Upstream 'up' /);
    await server.restart();
    await expectCall();
  });
});
