import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Fields } from "./exchange.ts";

export interface UpstreamRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The raw body. */
  readonly bytes: Buffer;
  readonly body: Fields;
}

export type UpstreamScript = (request: UpstreamRequest, res: ServerResponse) => void | Promise<void>;

/**
 * A local HTTP server that records requests and answers as the test sets: an upstream, an MCP server, or a receiver of webhooks.
 */
export class ScriptedUpstream {
  readonly received: UpstreamRequest[] = [];
  readonly #server: Server;
  #script: UpstreamScript;

  private constructor(server: Server, script: UpstreamScript) {
    this.#server = server;
    this.#script = script;
  }

  static async start(script: UpstreamScript = replyJson(200, { ok: true })): Promise<ScriptedUpstream> {
    const server = createServer();
    const upstream = new ScriptedUpstream(server, script);
    server.on("request", (req, res) => {
      const chunks: Buffer[] = [];
      req.on("data", (chunk: Buffer) => chunks.push(chunk));
      req.on("end", () => {
        const bytes = Buffer.concat(chunks);
        const { method = "", url: path = "", headers } = req;
        const request = { method, path, headers, bytes, body: parse(bytes.toString()) };
        upstream.received.push(request);
        void upstream.#script(request, res);
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return upstream;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Sets the answers from now on. */
  play(script: UpstreamScript): void {
    this.#script = script;
    this.received.length = 0;
  }

  /** Recorded JSON-RPC requests of one method. */
  asked(method: string): readonly UpstreamRequest[] {
    return this.received.filter(({ body }) => body["method"] === method);
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

function parse(text: string): Fields {
  try {
    return JSON.parse(text) as Fields;
  } catch {
    return {};
  }
}

export function replyJson(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): UpstreamScript {
  return (_request, res) => {
    res.writeHead(status, { "content-type": "application/json", ...headers });
    res.end(JSON.stringify(body));
  };
}

export interface McpScript {
  readonly tools: readonly Fields[];
  /** Answers a call with the member `result` or `error` of the envelope. */
  readonly call?: (params: Fields) => Fields;
}

/** A bare MCP server: answers JSON-RPC requests, without sessions or a handshake. */
export function mcpServer({ tools, call = () => ({ result: { content: [] } }) }: McpScript): UpstreamScript {
  return ({ body }, res) => {
    const { id, method, params } = body;
    if (id === undefined) {
      res.writeHead(202).end();
      return;
    }
    const answers: Readonly<Record<string, () => Fields>> = {
      "tools/list": () => ({ result: { tools } }),
      "tools/call": () => call((params ?? {}) as Fields),
      ping: () => ({ result: {} }),
    };
    const answer = answers[String(method)]?.() ?? { error: { code: -32_601, message: "Method not found" } };
    res.writeHead(200, { "content-type": "application/json" });
    res.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
  };
}

/** Sends a script's answers as one server-sent event each. */
export function overEventStream(script: UpstreamScript): UpstreamScript {
  return async (request, res) => {
    const written: string[] = [];
    let status = 200;
    const recorder = {
      writeHead: (code: number) => {
        status = code;
        return recorder;
      },
      end: (text = "") => void written.push(text),
    };
    await script(request, recorder as unknown as ServerResponse);
    const [text] = written;
    if (text === undefined || text === "") {
      res.writeHead(status).end();
      return;
    }
    res.writeHead(200, { "content-type": "text/event-stream" });
    res.end(`event: message\ndata: ${text}\n\n`);
  };
}
