/**
 * Baseline: a minimal reverse proxy in Node. `node:http` in, undici's `dispatch` out, reply bytes passed on with back-pressure,
 * both sides ended together. No authentication, parsing or log. Collects the small request before sending it, which costs about a
 * tenth less than piping and so is the stricter baseline. Argument: the upstream's origin. Prints `listening <port>`.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Pool, type Dispatcher } from "undici";

const [origin = ""] = process.argv.slice(2);
const pool = new Pool(origin, { connections: 1024, pipelining: 1 });
const server = createServer(proxy);
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => console.log(`listening ${(server.address() as AddressInfo).port}`));
process.stdin.on("end", () => process.exit(0)).resume();

function proxy(req: IncomingMessage, res: ServerResponse): void {
  const chunks: Buffer[] = [];
  req.on("data", (chunk: Buffer) => chunks.push(chunk));
  req.on("end", () => {
    const { host: _host, connection: _connection, ...headers } = req.headers;
    const { url: path = "/", method = "GET" } = req;
    const body = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
    pool.dispatch({ path, method, headers, body }, passOn(res));
  });
}

function passOn(res: ServerResponse): Dispatcher.DispatchHandler {
  return {
    onRequestStart(controller) {
      res.once("close", () => {
        if (!res.writableFinished) controller.abort(new Error("client gone"));
      });
    },
    onResponseStart(_controller, statusCode, headers) {
      const { connection: _connection, "transfer-encoding": _encoding, "keep-alive": _keepAlive, ...kept } = headers;
      res.writeHead(statusCode, kept);
    },
    onResponseData(controller, chunk) {
      if (res.write(chunk)) return;
      controller.pause();
      res.once("drain", () => controller.resume());
    },
    onResponseEnd() {
      res.end();
    },
    onResponseError() {
      if (res.headersSent) res.destroy();
      else res.writeHead(502).end();
    },
  };
}
