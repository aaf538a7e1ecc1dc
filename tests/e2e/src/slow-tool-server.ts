import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface SlowToolServer {
  readonly url: string;
  /** Number of tool calls received. */
  readonly calls: number;
  /** Answers the waiting calls, and later ones at once. */
  release(): void;
  stop(): Promise<void>;
}

/** An MCP server without sessions, whose only tool `wait` answers when the test releases it. */
export async function startSlowToolServer(): Promise<SlowToolServer> {
  let calls = 0;
  const released = Promise.withResolvers<void>();
  const answer = async (method: string): Promise<unknown> => {
    if (method === "tools/list") return { tools: [{ name: "wait", inputSchema: { type: "object" } }] };
    calls += 1;
    await released.promise;
    return { content: [{ type: "text", text: "done" }] };
  };
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on("data", (chunk: Buffer) => chunks.push(chunk));
    req.on("end", () => {
      const { id, method } = JSON.parse(Buffer.concat(chunks).toString()) as { id: unknown; method: string };
      res.setHeader("content-type", "application/json");
      void answer(method).then((result) => res.end(JSON.stringify({ jsonrpc: "2.0", id, result })));
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    get calls() {
      return calls;
    },
    release: () => released.resolve(),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
