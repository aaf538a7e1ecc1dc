import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createSocketServer, type Socket } from "node:net";
import { toGatewayError } from "@gatehouse/errors";
import { Agent } from "undici";
import { endToEndHeaders, forward, type ForwardOptions, sendError, startHttpServer } from "../src/index.ts";

export interface Proxy {
  readonly port: number;
  /** Targets of the requests received for forwarding. */
  readonly asked: string[];
  /** Targets whose exchange with the client has ended, answered or not. */
  readonly closed: string[];
  /** Outcome of each forward, in order: `done`, or its error code. */
  readonly outcomes: string[];
  stop(): Promise<void>;
}

export interface ProxyOptions extends Partial<ForwardOptions> {
  readonly connections?: number;
  /** Gets the reply of each request before the request is forwarded. */
  readonly onOpen?: (res: ServerResponse) => void;
}

/** A server that forwards every request to an origin through a separate agent. */
export async function startProxy(
  origin: string,
  { connections, onOpen, ...overrides }: ProxyOptions = {},
): Promise<Proxy> {
  const dispatcher = new Agent({ connections: connections ?? null });
  const asked: string[] = [];
  const closed: string[] = [];
  const outcomes: string[] = [];
  const server = await startHttpServer(
    (req, res) => {
      onOpen?.(res);
      forward(req, res, {
        dispatcher,
        origin,
        path: req.url ?? "/",
        headers: endToEndHeaders(req.headers, new Set(["host"])),
        headersTimeoutMs: 5_000,
        bodyTimeoutMs: 5_000,
        ...overrides,
      }).then(
        () => void outcomes.push("done"),
        (cause: unknown) => {
          const err = toGatewayError(cause);
          outcomes.push(err.code);
          sendError(res, err);
        },
      );
      asked.push(req.url ?? "/");
      res.once("close", () => closed.push(req.url ?? "/"));
    },
    { host: "127.0.0.1", port: 0 },
  );
  return {
    port: server.port,
    asked,
    closed,
    outcomes,
    async stop() {
      await server.stop(0);
      await dispatcher.destroy();
    },
  };
}

export interface Upstream {
  readonly origin: string;
  /** Resolves with the next request. */
  next(): Promise<{ readonly req: IncomingMessage; readonly res: ServerResponse }>;
  stop(): Promise<void>;
}

/** An HTTP server with scripted replies. */
export async function startUpstream(listener?: RequestListener): Promise<Upstream> {
  const arrived: { req: IncomingMessage; res: ServerResponse }[] = [];
  const server = createServer((req, res) => {
    if (listener !== undefined) return listener(req, res);
    arrived.push({ req, res });
    server.emit("arrived");
    return undefined;
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async next() {
      for (;;) {
        const exchange = arrived.shift();
        if (exchange !== undefined) return exchange;
        await once(server, "arrived");
      }
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** A server that answers every connection with raw bytes, valid or not, and then runs `onConnection`. */
export async function startRawUpstream(onConnection: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createSocketServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    onConnection(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
