import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { createMCPClient } from "@ai-sdk/mcp";
import { Client as ClientV2, StreamableHTTPClientTransport as HttpTransportV2 } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { Json } from "./control-plane-client.ts";

/** Configuration of an MCP server for a client, and one of its tools. */
export interface McpTarget {
  readonly url: string;
  readonly token: string;
  readonly tool: string;
  readonly arguments: Json;
}

/** Results of a client that connected, listed tools, called one, and pinged if it can. */
export interface McpSighting {
  /** Undefined where the client does not report it. */
  readonly serverName: string | undefined;
  readonly tools: readonly string[];
  readonly text: string;
}

/** Drives one published client, unchanged, against a target. */
export type McpDriver = (target: McpTarget) => Promise<McpSighting>;

const identity = { name: "gatehouse-e2e", version: "1.0.0" };
const run = promisify(execFile);
const require = createRequire(import.meta.url);

/** Published clients by the name of their package. */
export const mcpDrivers: Readonly<Record<string, McpDriver>> = {
  "@modelcontextprotocol/sdk 1.x": async (target) =>
    await driveV1(
      new StreamableHTTPClientTransport(new URL(target.url), { requestInit: { headers: bearer(target) } }),
      target,
    ),
  "@modelcontextprotocol/client 2.x": async (target) => await driveV2(target, "legacy"),
  "@modelcontextprotocol/client 2.x, negotiating": async (target) => await driveV2(target, "auto"),
  "@ai-sdk/mcp": driveAiSdk,
  "the Inspector's command line": driveInspector,
  "mcp-remote": driveMcpRemote,
};

function bearer({ token }: McpTarget): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

async function driveV1(transport: Transport, target: McpTarget): Promise<McpSighting> {
  const client = new Client(identity);
  await client.connect(transport);
  return await look(client, target);
}

async function driveV2(target: McpTarget, mode: "legacy" | "auto"): Promise<McpSighting> {
  const client = new ClientV2(identity, { versionNegotiation: { mode } });
  await client.connect(new HttpTransportV2(new URL(target.url), { requestInit: { headers: bearer(target) } }));
  return await look(client, target);
}

/** Runs either version of the SDK, and closes the client. */
async function look(client: Client | ClientV2, target: McpTarget): Promise<McpSighting> {
  try {
    const { tools } = await client.listTools();
    const result = await client.callTool({ name: target.tool, arguments: target.arguments });
    await client.ping();
    return sighting(client.getServerVersion()?.name, tools, result);
  } finally {
    await client.close();
  }
}

/** This client has no ping. */
async function driveAiSdk(target: McpTarget): Promise<McpSighting> {
  const client = await createMCPClient({ transport: { type: "http", url: target.url, headers: bearer(target) } });
  try {
    const { tools } = await client.listTools();
    const result = await client.callTool({ name: target.tool, arguments: target.arguments });
    return sighting(client.serverInfo.name, tools, result);
  } finally {
    await client.close();
  }
}

/** One process per method, which prints the result as JSON. */
async function driveInspector(target: McpTarget): Promise<McpSighting> {
  const script = require.resolve("@modelcontextprotocol/inspector/clients/launcher/build/index.js");
  const connection = [target.url, "--transport", "http", "--header", `Authorization: Bearer ${target.token}`];
  const given = Object.entries(target.arguments).flatMap(([name, value]) => ["--tool-arg", `${name}=${String(value)}`]);
  return await inHomeOfItsOwn(async (env) => {
    const inspect = async (...args: readonly string[]) => {
      const command = [script, "--cli", ...connection, ...args];
      const { stdout } = await run(process.execPath, command, { timeout: 30_000, env });
      return JSON.parse(stdout) as { readonly tools: readonly { readonly name: string }[] };
    };
    const [{ tools }, result] = await Promise.all([
      inspect("--method", "tools/list"),
      inspect("--method", "tools/call", "--tool-name", target.tool, ...given),
    ]);
    return sighting(undefined, tools, result);
  });
}

/** A bridge for clients with standard input and output only, driven by the SDK. */
async function driveMcpRemote(target: McpTarget): Promise<McpSighting> {
  const script = require.resolve("mcp-remote/dist/proxy.js");
  const header = `Authorization:Bearer ${target.token}`;
  const args = [script, target.url, "--transport", "http-only", "--header", header];
  return await inHomeOfItsOwn(async (env) => {
    const transport = new StdioClientTransport({ command: process.execPath, args, env, stderr: "ignore" });
    return await driveV1(transport, target);
  });
}

/** Keeps the clients' files out of the user's home. */
async function inHomeOfItsOwn<T>(work: (env: Record<string, string>) => Promise<T>): Promise<T> {
  const home = await mkdtemp(join(tmpdir(), "gatehouse-mcp-client-"));
  try {
    return await work({ PATH: process.env["PATH"] ?? "", HOME: home });
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

function sighting(
  serverName: string | undefined,
  tools: readonly { readonly name: string }[],
  result: unknown,
): McpSighting {
  const { content } = result as { readonly content: readonly { readonly text?: string }[] };
  return { serverName, tools: tools.map(({ name }) => name), text: content.map(({ text = "" }) => text).join("") };
}
