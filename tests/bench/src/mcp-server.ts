import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";

/**
 * MCP servers to measure against, in one process: `/mcp`, the official SDK without sessions, which answers with event streams;
 * `/bare`, a minimal server; `/list/<n>`, bare ones with forty tools each.
 */
const toolsPerServer = 40;

/** Tools of about the size that those of well-known servers have. */
const tools = Array.from({ length: toolsPerServer }, (_, index) => ({
  name: `tool_${index}`,
  description: `Does what tool ${index} does. `.padEnd(140, "It says so at some length. "),
  inputSchema: {
    type: "object",
    properties: {
      path: { type: "string", description: "What it is done to." },
      limit: { type: "integer", description: "How often it is done at most.", minimum: 1 },
    },
    required: ["path"],
  },
}));

const http = createServer((req, res) => {
  void (req.url === "/mcp" ? answerAsSdk(req, res) : answerBare(req, res));
}).listen(0, "127.0.0.1", () => {
  process.stdout.write(`listening ${(http.address() as AddressInfo).port}\n`);
});
process.stdin.on("end", () => process.exit(0)).resume();

async function answerAsSdk(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const server = new McpServer({ name: "bench", version: "1.0.0" });
  server.registerTool("echo", { description: "Echoes.", inputSchema: { message: z.string() } }, ({ message }) => {
    return { content: [{ type: "text", text: `Echo: ${message}` }] };
  });
  const transport = new StreamableHTTPServerTransport();
  res.on("close", () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(req, res);
}

async function answerBare(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  const { id, method } = JSON.parse(Buffer.concat(chunks).toString()) as { id: number; method: string };
  const result = method === "tools/list" ? { tools } : { content: [{ type: "text", text: "Echo: hello" }] };
  const body = JSON.stringify({ jsonrpc: "2.0", id, result });
  res.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) }).end(body);
}
