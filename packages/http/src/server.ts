import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { hasBody } from "./forward.ts";
import { boundRequest } from "./request-timeout.ts";
import { asksForWebSocket, listenForUpgrades } from "./upgrade.ts";

export interface HttpServerBounds {
  /** From the first byte of a request to the end of its head. */
  readonly headersTimeoutMs: number;
  /** From the end of a request's head to the end of its body; a route that streams bodies lifts it (`liftRequestTimeout`). */
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
  readonly stop: (drainMs: number) => Promise<void>;
}

export interface HttpServerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly bounds?: HttpServerBounds;
  /** Headers of an answer to what never became a request, such as its id. Names and values must be safe to send as they are. */
  readonly clientErrorHeaders?: () => Readonly<Record<string, string>>;
  /** Whether requests for a WebSocket reach the listener as such (`upgradeHeadOf`); without it they are ordinary requests. */
  readonly upgrades?: boolean;
}

/** How often a stopping server closes connections that have become idle. */
const idleSweepMs = 50;

/** @throws the platform's error when the address cannot be listened on (`EADDRINUSE`, `EACCES`). */
export async function startHttpServer(
  listener: RequestListener,
  {
    host,
    port,
    bounds = defaultHttpServerBounds,
    clientErrorHeaders = () => ({}),
    upgrades = false,
  }: HttpServerOptions,
): Promise<HttpServer> {
  const latest = new WeakMap<Socket, ServerResponse>();
  const answerFailure = (err: NodeJS.ErrnoException, socket: Socket) => {
    const reply = latest.get(socket);
    // An answer written into a reply that is under way would be taken for a part of it.
    if (!socket.writable || (reply?.headersSent && !reply.writableFinished)) socket.destroy();
    else answerClientError(err, socket, clientErrorHeaders());
  };
  const server = createServer(
    {
      headersTimeout: bounds.headersTimeoutMs,
      // Kept by `boundRequest`, for the requests that have a body to wait for.
      requestTimeout: 0,
      keepAliveTimeout: bounds.keepAliveTimeoutMs,
      maxHeaderSize: bounds.headerBytesMax,
      connectionsCheckingInterval: 1_000,
      noDelay: true,
      ...(upgrades ? { shouldUpgradeCallback: asksForWebSocket } : {}),
    },
    (req, res) => {
      latest.set(req.socket, res);
      if (hasBody(req)) boundRequest(req, bounds.requestTimeoutMs, () => answerFailure(requestTimedOut, req.socket));
      listener(req, res);
    },
  );
  server.on("clientError", (err: NodeJS.ErrnoException, socket: Socket) => answerFailure(err, socket));
  server.on("connect", (_req, socket: Socket) => {
    socket.on("error", () => socket.destroy());
    answerFailure(connectRefused, socket);
  });
  const switched = upgrades ? listenForUpgrades(server, listener) : new Set<Socket>();
  await listen(server, host, port);
  return {
    port: (server.address() as AddressInfo).port,
    stop: async (drainMs) => {
      // They would last as long as their clients, and the server waits for them without ending them.
      const endSwitched = () => switched.forEach((socket) => socket.destroy());
      const force = setTimeout(endSwitched, drainMs);
      endSwitched();
      await stop(server, drainMs);
      clearTimeout(force);
    },
  };
}

const requestTimedOut = Object.assign(new Error("The request's body did not arrive."), {
  code: "ERR_HTTP_REQUEST_TIMEOUT",
});
const connectRefused = Object.assign(new Error("CONNECT was asked for."), { code: "CONNECT" });

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
    // A connection that was busy when the server was closed would otherwise be kept until its keep-alive time-out.
    const sweep = setInterval(() => server.closeIdleConnections(), idleSweepMs);
    server.close(() => {
      clearTimeout(force);
      clearInterval(sweep);
      resolve();
    });
    server.closeIdleConnections();
  });
}

/** How long a refused client may take to read the answer and close. */
const refusedConnectionLingerMs = 1_000;

const clientErrorReplies: Readonly<Record<string, readonly [status: string, message: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "The request did not arrive in time."],
  CONNECT: ["405 Method Not Allowed", "Method 'CONNECT' is not allowed: this is no forward proxy."],
  HPE_HEADER_OVERFLOW: ["431 Request Header Fields Too Large", "The request's headers are too large."],
};

/** Answers what never became a request: a malformed, oversized or too slow head. */
function answerClientError(err: NodeJS.ErrnoException, socket: Socket, extra: Readonly<Record<string, string>>): void {
  const [status, message] = clientErrorReplies[err.code ?? ""] ?? ["400 Bad Request", "The request is malformed."];
  const body = JSON.stringify({ ok: false, error: message });
  const headers = {
    ...extra,
    "content-type": "application/json; charset=utf-8",
    "content-length": String(Buffer.byteLength(body)),
    connection: "close",
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  // A client that keeps its side open would hold the connection otherwise.
  const force = setTimeout(() => socket.destroy(), refusedConnectionLingerMs);
  socket.once("close", () => clearTimeout(force));
  socket.end(`HTTP/1.1 ${status}\r\n${head.join("")}\r\n${body}`);
}
