import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Server as McpServer } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { fixtureTools } from "./fixture-tools.ts";
import { type McpServed, serveMcpPath } from "./serve-mcp-path.ts";

/** An MCP server of the official SDK, with sessions and event streams, that offers the tools which the suite calls by name. */
export async function startFixtureUpstream(): Promise<McpServed> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const server = createServer((req, res) => void answer(req, res, sessions));
  return await serveMcpPath(server);
}

async function answer(
  req: IncomingMessage,
  res: ServerResponse,
  sessions: Map<string, StreamableHTTPServerTransport>,
): Promise<void> {
  const id = req.headers["mcp-session-id"];
  const transport = typeof id === "string" ? sessions.get(id) : await openSession(sessions);
  if (transport === undefined) res.writeHead(404).end();
  else await transport.handleRequest(req, res);
}

async function openSession(
  sessions: Map<string, StreamableHTTPServerTransport>,
): Promise<StreamableHTTPServerTransport> {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => void sessions.set(id, transport),
  });
  const server = new McpServer({ name: "conformance-fixture", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: fixtureTools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    const tool = fixtureTools.find(({ name }) => name === params.name);
    if (tool === undefined) throw new Error(`Unknown tool: ${params.name}`);
    return { content: [...tool.content], isError: tool.isError ?? false };
  });
  await server.connect(transport);
  return transport;
}
