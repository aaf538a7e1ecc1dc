/**
 * The gateway as an MCP client for the conformance suite: registers the scenario's server, whose URL is the last argument, as an
 * upstream of a running gateway, and uses its tools through the project's MCP route.
 */
import process from "node:process";
import { ControlPlaneClient, createProject, type Json } from "../control-plane-client.ts";
import { McpCaller } from "../mcp-caller.ts";
import { startStrictProxy } from "./strict-proxy.ts";

interface Tool {
  readonly name: string;
  readonly inputSchema: { readonly properties?: Readonly<Record<string, { readonly type?: string }>> };
}

interface ToolCall {
  readonly name: string;
  readonly arguments: Json;
}

const prefix = "up__";

const gateway = { url: process.env["GATEHOUSE_URL"] ?? "", adminKey: process.env["GATEHOUSE_ADMIN_KEY"] ?? "" };
const control = new ControlPlaneClient(gateway);
const target = process.argv.at(-1) ?? "";
const revision = process.env["MCP_CONFORMANCE_PROTOCOL_VERSION"] ?? "";
const isStrict = process.env["MCP_CONFORMANCE_SCENARIO"] === "initialize" || revision === "2026-07-28";
const front = isStrict ? await startStrictProxy(target, revision) : undefined;
const fixture = await createProject(control, { type: "mcp_gateway", scopes: ["mcp"] });
try {
  const { id } = await control.call<{ readonly id: number }>("svc_create_upstream", {
    project: fixture.project,
    prefix: "up",
    url: front?.url ?? target,
  });
  // A scenario's server may refuse the first request, like a starting server.
  await control.call("svc_refresh_upstream", { upstream_id: id }).catch(() => {});
  await control.call("svc_refresh_upstream", { upstream_id: id });
  const mcp = new McpCaller(gateway, fixture);
  await mcp.ask("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "x", version: "1" },
  });
  const tools = (await mcp.listTools()) as unknown as readonly Tool[];
  for (const call of chooseCalls(tools)) {
    const reply = await mcp.callTool(`${prefix}${call.name}`, call.arguments);
    process.stdout.write(`${call.name}: ${JSON.stringify(reply)}\n`);
  }
} finally {
  front?.stop();
  await control.call("svc_delete_project", { project: fixture.project });
}

/** Tools that the suite names; else the scenario's; else every listed tool, so that an extra one is detected. */
function chooseCalls(tools: readonly Tool[]): readonly ToolCall[] {
  const context = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as { readonly toolCalls?: ToolCall[] };
  if (context.toolCalls !== undefined) return context.toolCalls;
  const focal = tools.find(({ name }) => name === `${prefix}json_schema_2020_12_tool`);
  const echo = tools.find(({ inputSchema }) => inputSchema.properties?.["schema"] !== undefined);
  if (focal !== undefined && echo !== undefined) {
    return [{ name: echo.name.slice(prefix.length), arguments: { schema: focal.inputSchema } }];
  }
  return tools.map(({ name, inputSchema }) => ({
    name: name.slice(prefix.length),
    arguments: argumentsFor(inputSchema.properties ?? {}),
  }));
}

function argumentsFor(properties: Readonly<Record<string, { readonly type?: string }>>): Json {
  const values: Json = { number: 5, integer: 3, boolean: true, string: "text", object: {}, array: [] };
  return Object.fromEntries(Object.entries(properties).map(([name, { type = "string" }]) => [name, values[type]]));
}
