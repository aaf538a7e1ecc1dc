import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface StrictProxy {
  readonly url: string;
  stop(): void;
}

/** Refusal of a request that violates a revision's rules; undefined: valid. */
type Refusal = (req: IncomingMessage, method: string | undefined) => object | undefined;

/** Like servers with sessions: nothing before the handshake. */
function needsHandshake(): Refusal {
  let isGreeted = false;
  return (_req, method) => {
    isGreeted ||= method === "initialize";
    return isGreeted ? undefined : { code: -32000, message: "Bad Request: Server not initialized" };
  };
}

/** Like servers of 2026-07-28 alone (its "Transports", "Protocol version header"). */
const needsModern: Refusal = (req) => {
  if (req.headers["mcp-protocol-version"] === "2026-07-28") return undefined;
  return { code: -32022, message: "Unsupported protocol version", data: { supported: ["2026-07-28"] } };
};

/**
 * Proxy before a scenario's server that refuses what strict servers refuse. The suite's own servers are lenient, and the gateway
 * does only what an upstream demands, so without this nothing would be tested.
 */
export async function startStrictProxy(target: string, revision: string): Promise<StrictProxy> {
  const refuse = revision === "2026-07-28" ? needsModern : needsHandshake();
  const server = createServer((req, res) => void relay(req, res, { target, refuse }));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { pathname } = new URL(target);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function relay(
  req: IncomingMessage,
  res: ServerResponse,
  { target, refuse }: { readonly target: string; readonly refuse: Refusal },
): Promise<void> {
  const body = await text(req);
  const envelope = (body === "" ? {} : JSON.parse(body)) as { readonly id?: unknown; readonly method?: string };
  const error = refuse(req, envelope.method);
  if (error !== undefined) {
    res.writeHead(400, { "content-type": "application/json" });
    res.end(JSON.stringify({ jsonrpc: "2.0", id: envelope.id ?? null, error }));
    return;
  }
  const { host: _host, "content-length": _length, "transfer-encoding": _encoding, ...headers } = req.headers;
  const call = request(target, { method: req.method ?? "POST", headers });
  call.on("error", () => res.destroy());
  call.on("response", (reply) => {
    res.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.pipe(res);
  });
  call.end(body);
}
