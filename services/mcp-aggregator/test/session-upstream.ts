import { randomUUID } from "node:crypto";
import { echoTool, type FakeUpstream, sendJson, startUpstream, type UpstreamHandler } from "./fake-upstream.ts";

export interface SessionUpstream extends FakeUpstream {
  /** Ids of open sessions. */
  readonly sessions: Set<string>;
  /** Handshakes since the start. */
  readonly handshakes: () => number;
}

/** Refusal of an unknown session. */
export type Refusal = "404" | "400" | "422 as text";

export interface SessionUpstreamOptions {
  readonly refusal?: Refusal;
  /** Answers a call in a session. */
  readonly call?: UpstreamHandler;
  readonly port?: number;
}

/** A server that requires a handshake, has sessions, and answers `whoami` with the session's id. */
export async function startSessionUpstream(options: SessionUpstreamOptions = {}): Promise<SessionUpstream> {
  const sessions = new Set<string>();
  let handshakes = 0;
  const refuse: UpstreamHandler = (_request, res) => {
    if (options.refusal === "422 as text") res.writeHead(422, { "content-type": "text/plain" }).end("Unprocessable");
    else {
      const error = { code: -32000, message: "Bad Request: no valid session id" };
      sendJson(res, { jsonrpc: "2.0", error, id: null }, options.refusal === "404" ? 404 : 400);
    }
  };
  const upstream = await startUpstream((request, res, req) => {
    const { headers, body, method } = request;
    const session = String(headers["mcp-session-id"] ?? "");
    if (body.method === "initialize") {
      handshakes += 1;
      const id = randomUUID();
      sessions.add(id);
      const result = { protocolVersion: "2025-06-18", capabilities: {}, serverInfo: { name: "s", version: "1" } };
      res.setHeader("mcp-session-id", id);
      sendJson(res, { jsonrpc: "2.0", id: body.id, result });
    } else if (!sessions.has(session)) refuse(request, res, req);
    else if (method === "DELETE") {
      sessions.delete(session);
      res.writeHead(200).end();
    } else if (body.id === undefined) res.writeHead(202).end();
    else if (body.method === "tools/list") {
      sendJson(res, { jsonrpc: "2.0", id: body.id, result: { tools: [echoTool("whoami")] } });
    } else if (options.call !== undefined) options.call(request, res, req);
    else {
      const text = JSON.stringify({ session, arguments: body.params?.["arguments"] });
      sendJson(res, { jsonrpc: "2.0", id: body.id, result: { content: [{ type: "text", text }] } });
    }
  }, options.port);
  return Object.assign(upstream, { sessions, handshakes: () => handshakes });
}
