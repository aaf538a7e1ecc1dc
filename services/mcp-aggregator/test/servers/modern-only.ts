import { createServer } from "node:http";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

/** A server of the official SDK (v2) that speaks revision 2026-07-28 and nothing else. */
const handler = createMcpHandler(
  () => {
    const server = new McpServer({ name: "modern-only", version: "1.0.0" });
    const inputSchema = z.object({ message: z.string() });
    server.registerTool("echo", { description: "Echoes.", inputSchema }, ({ message }) => {
      return { content: [{ type: "text", text: `Echo: ${message}` }] };
    });
    return server;
  },
  { legacy: "reject" },
);

const http = createServer((req, res) => {
  const chunks: Buffer[] = [];
  req.on("data", (chunk: Buffer) => chunks.push(chunk));
  req.on("end", () => {
    void (async () => {
      const headers = new Headers(Object.entries(req.headers).map(([name, value]) => [name, String(value)]));
      const init = { method: req.method ?? "GET", headers };
      const body = chunks.length === 0 ? {} : { body: Buffer.concat(chunks) };
      const reply = await handler.fetch(new Request(`http://${req.headers.host}${req.url}`, { ...init, ...body }));
      res.writeHead(reply.status, Object.fromEntries(reply.headers));
      for await (const chunk of reply.body ?? []) res.write(chunk);
      res.end();
    })();
  });
});
http.listen(Number(process.env["PORT"]), "127.0.0.1");
