import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

interface Call {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly arguments?: Readonly<Record<string, unknown>> };
}

/** An MCP server of two tools that return their arguments; a test changes the first one's description. */
export class ChangingUpstream {
  description = "Repeats a text.";
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<ChangingUpstream> {
    const server = createServer();
    const upstream = new ChangingUpstream(server);
    server.on("request", (req, res) => void upstream.#handle(req, res));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return upstream;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/mcp`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    if (req.method !== "POST") {
      res.writeHead(405).end();
      return;
    }
    const call = JSON.parse(Buffer.concat(chunks).toString()) as Call;
    if (call.id === undefined) {
      res.writeHead(202).end();
      return;
    }
    res.writeHead(200, { "content-type": "application/json" });
    res.end(JSON.stringify({ jsonrpc: "2.0", id: call.id, result: this.#answer(call) }));
  }

  #answer({ method, params }: Call): object {
    if (method === "tools/list") {
      const properties = {
        text: { type: "string" },
        level: { enum: ["2", 1, 2] },
        extra: {},
        share: { type: "number", exclusiveMinimum: 0, maximum: 1 },
        pages: { type: "array", items: { type: "integer" } },
      };
      const inputSchema = { type: "object", properties, required: ["text"] };
      const shout = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
      return {
        tools: [
          { name: "repeat", description: this.description, inputSchema },
          { name: "shout", description: "Repeats a text in capitals.", inputSchema: shout },
        ],
      };
    }
    if (method === "tools/call") {
      const { text, ...others } = params?.arguments ?? {};
      const rest = Object.keys(others).length === 0 ? "" : ` with ${JSON.stringify(others)}`;
      return { content: [{ type: "text", text: `Said: ${String(text)}${rest}` }] };
    }
    return { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "u", version: "1" } };
  }
}
