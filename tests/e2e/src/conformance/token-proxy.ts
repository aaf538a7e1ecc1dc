import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { type McpServed, serveMcpPath } from "./serve-mcp-path.ts";

export interface TokenProxyOptions {
  /** The MCP route of a project. */
  readonly url: string;
  readonly token: string;
  /** Prefix of the upstream's tool names; empty: none. */
  readonly prefix: string;
}

/**
 * Proxy between the conformance suite and the gateway, since the suite sends no token and uses fixed tool names: adds
 * `Authorization`, and adds and removes the prefix. Host, Origin and all else are unchanged.
 */
export async function startTokenProxy(options: TokenProxyOptions): Promise<McpServed> {
  const server = createServer((req, res) => void relay(req, res, options));
  return await serveMcpPath(server);
}

async function relay(req: IncomingMessage, res: ServerResponse, { url, token, prefix }: TokenProxyOptions) {
  const sent = toGateway(await text(req), prefix);
  const { "content-length": _length, "transfer-encoding": _encoding, ...kept } = req.headers;
  const headers = { ...kept, authorization: `Bearer ${token}`, "content-length": Buffer.byteLength(sent) };
  const call = request(url, { method: req.method ?? "POST", headers, setHost: false });
  call.on("error", () => res.writeHead(502).end());
  call.on("response", (reply) => void passBack(reply, res, prefix));
  call.end(sent);
}

async function passBack(reply: IncomingMessage, res: ServerResponse, prefix: string): Promise<void> {
  const body = toSuite(await text(reply), prefix);
  const { "content-length": _length, ...headers } = reply.headers;
  res.writeHead(reply.statusCode ?? 502, { ...headers, "content-length": Buffer.byteLength(body) }).end(body);
}

interface Envelope {
  readonly method?: string;
  readonly params?: { readonly name?: string };
  readonly result?: { readonly tools?: readonly { readonly name: string }[] };
}

function toGateway(body: string, prefix: string): string {
  const envelope = parse(body);
  if (envelope?.method !== "tools/call" || envelope.params === undefined) return body;
  const name = `${prefix}${envelope.params.name ?? ""}`;
  return JSON.stringify({ ...envelope, params: { ...envelope.params, name } });
}

function toSuite(body: string, prefix: string): string {
  const envelope = parse(body);
  const tools = envelope?.result?.tools;
  if (tools === undefined) return body;
  const named = tools.map((tool) => ({
    ...tool,
    name: tool.name.startsWith(prefix) ? tool.name.slice(prefix.length) : tool.name,
  }));
  return JSON.stringify({ ...envelope, result: { ...envelope?.result, tools: named } });
}

function parse(body: string): Envelope | undefined {
  try {
    return JSON.parse(body) as Envelope;
  } catch {
    return undefined;
  }
}
