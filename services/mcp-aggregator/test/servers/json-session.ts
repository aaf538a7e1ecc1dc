import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";

/** A server of the official SDK (v1) that answers JSON and keeps sessions; `count` counts the calls of its session. */
const sessions = new Map<string, StreamableHTTPServerTransport>();

async function openSession(): Promise<StreamableHTTPServerTransport> {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    enableJsonResponse: true,
    onsessioninitialized: (id) => void sessions.set(id, transport),
    onsessionclosed: (id) => void sessions.delete(id),
  });
  const server = new McpServer({ name: "json-session", version: "1.0.0" });
  let calls = 0;
  server.registerTool("count", { description: "Counts.", inputSchema: { owner: z.string() } }, ({ owner }) => {
    calls += 1;
    return { content: [{ type: "text", text: `${owner} ${calls}` }] };
  });
  server.registerTool("sessions", { description: "How many sessions are open.", inputSchema: {} }, () => {
    return { content: [{ type: "text", text: String(sessions.size) }] };
  });
  await server.connect(transport);
  return transport;
}

const http = createServer((req, res) => {
  void (async () => {
    const id = req.headers["mcp-session-id"];
    const known = typeof id === "string" ? sessions.get(id) : undefined;
    if (typeof id === "string" && known === undefined) {
      const error = { jsonrpc: "2.0", error: { code: -32001, message: "Session not found" }, id: null };
      res.writeHead(404, { "content-type": "application/json" }).end(JSON.stringify(error));
      return;
    }
    await (known ?? (await openSession())).handleRequest(req, res);
  })();
});
http.listen(Number(process.env["PORT"]), "127.0.0.1");
