import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";

export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Parsed, if it is JSON. */
  readonly body: { readonly id?: unknown; readonly method?: string; readonly params?: Record<string, unknown> };
}

export interface FakeUpstream {
  readonly url: string;
  readonly server: Server;
  readonly requests: ReceivedRequest[];
  stop(): Promise<void>;
}

export type UpstreamHandler = (request: ReceivedRequest, res: ServerResponse, req: IncomingMessage) => void;

/** A local HTTP server that records its requests. */
export async function startUpstream(handler: UpstreamHandler, port = 0): Promise<FakeUpstream> {
  const requests: ReceivedRequest[] = [];
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on("data", (chunk: Buffer) => chunks.push(chunk));
    req.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      const request = {
        method: req.method ?? "",
        url: req.url ?? "",
        headers: req.headers,
        text,
        body: (text === "" ? {} : JSON.parse(text)) as ReceivedRequest["body"],
      };
      requests.push(request);
      handler(request, res, req);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    server,
    requests,
    async stop() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

export function sendJson(res: ServerResponse, body: unknown, status = 200): void {
  res.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

export function echoTool(name = "echo"): object {
  return { name, description: `Answers with what it is told (${name}).`, inputSchema: { type: "object" } };
}

/** A bare upstream: JSON, no sessions, no handshake; `echo` returns its arguments. */
export function bareHandler(tools: () => readonly unknown[] = () => [echoTool()]): UpstreamHandler {
  return ({ body }, res) => {
    if (body.id === undefined) {
      res.writeHead(202).end();
      return;
    }
    const result = answerBare(body, tools());
    sendJson(res, { jsonrpc: "2.0", id: body.id, ...result });
  };
}

function answerBare(body: ReceivedRequest["body"], tools: readonly unknown[]): object {
  if (body.method === "tools/list") return { result: { tools } };
  if (body.method !== "tools/call") return { error: { code: -32601, message: "Method not found" } };
  return { result: { content: [{ type: "text", text: JSON.stringify(body.params) }] } };
}
