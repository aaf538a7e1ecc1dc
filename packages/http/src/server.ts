import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";

export interface HttpServerBounds {
  /** From the first byte of a request to the end of its head. */
  readonly headersTimeoutMs: number;
  /** From the first byte of a request to the end of its body. */
  readonly requestTimeoutMs: number;
  /** How long an idle connection is kept. */
  readonly keepAliveTimeoutMs: number;
  readonly headerBytesMax: number;
}

export const defaultHttpServerBounds: HttpServerBounds = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  keepAliveTimeoutMs: 65_000,
  headerBytesMax: 16 * 1024,
};

export interface HttpServer {
  readonly port: number;
  /** Takes no new connection, lets requests in flight finish within the bound, then ends what is left. */
  stop(drainMs: number): Promise<void>;
}

/** @throws the platform's error when the address cannot be listened on (`EADDRINUSE`, `EACCES`). */
export async function startHttpServer(
  listener: RequestListener,
  { host, port, bounds = defaultHttpServerBounds }: { host: string; port: number; bounds?: HttpServerBounds },
): Promise<HttpServer> {
  const server = createServer(
    {
      headersTimeout: bounds.headersTimeoutMs,
      requestTimeout: bounds.requestTimeoutMs,
      keepAliveTimeout: bounds.keepAliveTimeoutMs,
      maxHeaderSize: bounds.headerBytesMax,
      connectionsCheckingInterval: 1_000,
      noDelay: true,
    },
    listener,
  );
  server.on("clientError", answerClientError);
  await listen(server, host, port);
  return { port: (server.address() as AddressInfo).port, stop: async (drainMs) => await stop(server, drainMs) };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function stop(server: Server, drainMs: number): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => server.closeAllConnections(), drainMs);
    server.close(() => {
      clearTimeout(force);
      resolve();
    });
    server.closeIdleConnections();
  });
}

const clientErrorReplies: Readonly<Record<string, readonly [status: string, message: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "The request did not arrive in time."],
  HPE_HEADER_OVERFLOW: ["431 Request Header Fields Too Large", "The request's headers are too large."],
};

/** Answers what never became a request: a malformed, oversized or too slow head. */
function answerClientError(err: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const [status, message] = clientErrorReplies[err.code ?? ""] ?? ["400 Bad Request", "The request is malformed."];
  const body = JSON.stringify({ ok: false, error: message });
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
