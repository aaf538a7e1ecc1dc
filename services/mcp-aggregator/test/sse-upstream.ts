import type { ServerResponse } from "node:http";
import type { UpstreamHandler } from "./fake-upstream.ts";

/**
 * A server of revision 2024-11-05 whose stream the test controls after a call. The call's HTTP reply precedes that; with
 * `isAcceptedByTest` it follows the test's call of `accept`.
 */
export function sseUpstream(
  onCall: (stream: ServerResponse, id: unknown, accept: () => void) => void,
  { isAcceptedByTest = false } = {},
): UpstreamHandler {
  let stream: ServerResponse | undefined;
  return ({ method, url, body }, res) => {
    const accept = () => void res.writeHead(202).end();
    if (method === "GET") {
      // Media types have no case.
      stream = res.writeHead(200, { "content-type": "Text/Event-Stream; charset=utf-8" });
      res.write("event: endpoint\ndata: /messages\n\n");
    } else if (!url.startsWith("/messages")) res.writeHead(405).end();
    else {
      const isCall = body.id !== undefined && body.method !== "initialize";
      if (!isCall || !isAcceptedByTest) accept();
      if (body.id === undefined || stream === undefined) return;
      if (isCall) onCall(stream, body.id, accept);
      else {
        const result = { protocolVersion: "2024-11-05", capabilities: {}, serverInfo: { name: "s", version: "1" } };
        stream.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id: body.id, result })}\n\n`);
      }
    }
  };
}
