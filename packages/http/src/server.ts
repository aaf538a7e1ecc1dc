import type { IncomingMessage, RequestListener, Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { guarded, throwUncaught } from "@gatehouse/async";
import type { GatewayError } from "@gatehouse/errors";
import { asksToCarry, CarriedConnections } from "./carrier/carried-connections.ts";
import { answerClientError, refuseConnection } from "./client-error.ts";
import { hasBody } from "./forward.ts";
import { hostFailureOf } from "./host-header.ts";
import { endInTurn, inTurn, keepDraining, refuseInTurn } from "./in-turn.ts";
import {
  defaultHttpServerBounds,
  type HttpServerBounds,
  type HttpServerTls,
  openServer,
  toServerOptions,
} from "./open-server.ts";
import { toOriginForm } from "./request-target.ts";
import { boundRequest } from "./request-timeout.ts";
import { watchSlowReaders } from "./slow-readers.ts";
import { StopNotice } from "./stop-notice.ts";
import { stopServer } from "./stop-server.ts";
import { refuseTinyChunks } from "./tiny-chunks.ts";
import { asksForWebSocket, listenForUpgrades, type TakeConnection } from "./upgrade.ts";

export { defaultHttpServerBounds, type HttpServerBounds } from "./open-server.ts";

/** A server that listens. */
export interface HttpServer {
  readonly port: number;
  /** Socket for a process that takes the port over; see {@link SharedPort}. */
  readonly socket: ListeningSocket | undefined;
  /**
   * From now on each reply without a head yet asks its client for another connection: on this one, its next request would find the server
   * stopped. Repeating it is harmless.
   */
  readonly announceStop: () => void;
  /**
   * Takes no new connection, lets requests in flight finish within the bound, then ends what is left. A connection that is idle, or
   * becomes so, is kept for `idleMs` (0 when absent): a client may be about to send on it.
   */
  readonly stop: (drainMs: number, idleMs?: number) => Promise<void>;
}

/** A socket that listens, as processes of one machine hand it to each other; or its file descriptor, where it was inherited. */
export type ListeningSocket = object & { readonly fd?: number; readonly [listening]?: never };
declare const listening: unique symbol;

/**
 * A port that several processes listen on, each with its own socket: the kernel spreads new connections over the sockets
 * (`SO_REUSEPORT`: Linux 3.9, FreeBSD 12, DragonFly BSD 3.6, Solaris 11.4, AIX 7.2.5).
 */
export interface SharedPort {
  /**
   * The socket of a process that ends, or that another one holds: connections that nothing has accepted yet wait in it. A new one
   * where absent.
   */
  readonly socket?: ListeningSocket;
  /** Whether another process holds the socket too, asked when the server stops. Absent: one does. */
  readonly isHeld?: () => boolean;
}

/** Address, bounds and hooks of a server. */
export interface HttpServerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly bounds?: HttpServerBounds;
  /** Headers of an answer to what never became a request, such as its id. Names and values must be safe to send as they are. */
  readonly clientErrorHeaders?: () => Readonly<Record<string, string>>;
  /** Whether requests for a WebSocket reach the listener as such (`upgradeHeadOf`); without it they are ordinary requests. */
  readonly upgrades?: boolean;
  /** Present: callers may have many requests on one connection at a time (`CarryingDispatcher`), which reach the listener as others do. */
  readonly carrying?: Carrying;
  /** Asked for each connection as it comes; an error is the answer to it, and it is closed. */
  readonly admitConnection?: (socket: Socket) => GatewayError | undefined;
  /** Called when a connection is ended because its client takes nothing. */
  readonly onSlowReader?: () => void;
  /** For a port that other processes listen on too; for this one alone where absent. */
  readonly shared?: SharedPort;
  /** Present: connections are encrypted. */
  readonly tls?: HttpServerTls | undefined;
}

/** Rule for connections that carry calls. */
interface Carrying {
  /** Called once for each connection, with the request that opens it. The listener judges each call on it. */
  readonly admits: (req: IncomingMessage) => boolean;
}

/** @throws the platform's error when the address cannot be listened on (`EADDRINUSE`, `EACCES`). */
export async function startHttpServer(listener: RequestListener, options: HttpServerOptions): Promise<HttpServer> {
  const { bounds = defaultHttpServerBounds, clientErrorHeaders = () => ({}), upgrades = false, carrying } = options;
  const answer = (err: NodeJS.ErrnoException, socket: Socket) => answerClientError(err, socket, clientErrorHeaders());
  const refuse = (err: NodeJS.ErrnoException, req: IncomingMessage) => refuseInTurn(req, () => answer(err, req.socket));
  const server = openServer(toServerOptions(bounds, switchesOf(options)), options.tls);
  const open = trackConnections(server, "connection");
  // With TLS, `req.socket` is the TLS socket on top of the TCP connection.
  const sockets = options.tls === undefined ? open : trackConnections(server, "secureConnection");
  const notice = new StopNotice(sockets);
  const admitted = admitConnections(server, bounds, options);
  /** Begins with a request in its turn, refusals included: one written at once would be taken for the answer to a request before. */
  const takeInTurn = (begin: RequestListener) =>
    // Failures are caught even where it begins in a later turn, when the connection's request before it has been answered.
    inTurn(guarded<Parameters<RequestListener>>((req, res) => begin(req, res), endConnection));
  const handle = takeInTurn((req, res) => {
    const failure = hostFailureOf(req) ?? toOriginForm(req);
    if (failure !== undefined) return refuse(headFailures[failure], req);
    if (hasBody(req)) boundRequest(req, bounds.requestTimeoutMs, () => refuse(requestTimedOut, req));
    return listener(req, res);
  });
  const onRequest: RequestListener = (req, res) => {
    if (!admitted(req.socket)) return;
    notice.heed(res);
    if (req.headers["transfer-encoding"] !== undefined) {
      // The rest is not read: reading it is the harm.
      refuseTinyChunks(req, () => {
        req.socket.once("finish", () => req.socket.destroy());
        refuse(tinyChunks, req);
      });
    }
    handle(req, res);
  };
  server.on("request", guarded(onRequest, endConnection));
  const refuseExpectation = takeInTurn((req) => refuse(unknownExpectation, req));
  const onExpectation: RequestListener = (req, res) => {
    if (admitted(req.socket)) refuseExpectation(req, res);
  };
  // Without a listener, Node answers 417 without a body. `100-continue` never comes here.
  server.on("checkExpectation", guarded(onExpectation, endConnection));
  answerUnserved(server, (err, socket) => {
    endInTurn(socket, () => answer(err, socket), { hasLeft: err.code === "HPE_INVALID_EOF_STATE" });
  });
  const onUpgrade: RequestListener = (req, res) => {
    if (!admitted(req.socket)) return;
    const failure = hostFailureOf(req) ?? toOriginForm(req);
    if (failure === undefined) listener(req, res);
    else refuse(headFailures[failure], req);
  };
  const carried = new CarriedConnections(listener);
  const take: TakeConnection = (req, socket, head) => {
    if (carrying === undefined || !asksToCarry(req)) return false;
    if (carrying.admits(req)) carried.take(socket, head);
    else socket.destroy();
    return true;
  };
  const switched = upgrades ? listenForUpgrades(server, onUpgrade, take) : new Set<Socket>();
  await listen(server, options);
  return {
    port: (server.address() as AddressInfo).port,
    // Node has no public name for the handle. If it is missing, a process that takes the port over opens another socket.
    socket: (server as { readonly _handle?: ListeningSocket })._handle,
    announceStop: () => notice.announce(),
    stop: createStop(server, { open, sockets, notice, switched, carried, shared: options.shared }),
  };
}

/** Protocols that requests may switch to; undefined where none. */
function switchesOf({ upgrades, carrying }: HttpServerOptions): ((req: IncomingMessage) => boolean) | undefined {
  if (upgrades !== true) return undefined;
  return carrying === undefined ? asksForWebSocket : (req) => asksForWebSocket(req) || asksToCarry(req);
}

interface Connections {
  readonly open: ReadonlySet<Socket>;
  /** Connections of requests. */
  readonly sockets: ReadonlySet<Socket>;
  readonly notice: StopNotice;
  /** Connections that speak another protocol by now. */
  readonly switched: ReadonlySet<Socket>;
  readonly carried: CarriedConnections;
  /** Whether another process takes the connections that wait is asked when the server stops. */
  readonly shared: SharedPort | undefined;
}

function isHeldByOthers(shared: SharedPort | undefined): boolean {
  return shared !== undefined && (shared.isHeld?.() ?? true);
}

function createStop(
  server: Server,
  { open, sockets, notice, switched, carried, shared }: Connections,
): HttpServer["stop"] {
  return async (drainMs, idleMs = 0) => {
    notice.announce();
    // Switched connections last as long as their clients, and the server would wait for them.
    const endSwitched = () => switched.forEach((socket) => socket.destroy());
    endSwitched();
    carried.drain();
    await stopServer(server, {
      drainMs,
      idleMs,
      sockets,
      isShared: isHeldByOthers(shared),
      // `closeAllConnections` misses connections in a TLS handshake, with another protocol, or with a requested tunnel.
      endAll: () => open.forEach((socket) => socket.destroy()),
    });
  };
}

/** Ends the connection of a listener in which only the gateway's own code can throw: what it was about to change is in doubt. */
function endConnection(cause: unknown, { socket }: IncomingMessage): void {
  endSocket(cause, socket);
}

/** Answers what never becomes a request: malformed heads, and CONNECT. */
function answerUnserved(server: Server, answer: (err: NodeJS.ErrnoException, socket: Socket) => void): void {
  const onClientError = (err: NodeJS.ErrnoException, socket: Socket) => answer(err, socket);
  server.on(
    "clientError",
    guarded(onClientError, (cause, _err, socket) => endSocket(cause, socket)),
  );
  const onConnect = (_req: IncomingMessage, socket: Duplex) => {
    socket.on("error", () => socket.destroy());
    // Node no longer reads the socket, and would not notice that the client has left its earlier calls.
    const onEnd = guarded(() => void socket.destroy(), throwUncaught);
    socket.on("end", onEnd).resume();
    // Servers of node:http hand out sockets of node:net.
    keepDraining(socket as Socket);
    answer(connectRefused, socket as Socket);
  };
  server.on("connect", guarded(onConnect, endConnection));
}

function endSocket(cause: unknown, socket: Socket): void {
  socket.destroy();
  throwUncaught(cause);
}

/** The open connections of the network, or those that lie above them. */
function trackConnections(server: Server, event: "connection" | "secureConnection"): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  const track = (socket: Socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  };
  server.on(event, guarded(track, endSocket));
  return open;
}

/** Judges each connection as it comes, and watches those that it lets in. @returns whether a connection was let in. */
function admitConnections(
  server: Server,
  bounds: HttpServerBounds,
  { admitConnection, onSlowReader, tls, clientErrorHeaders = () => ({}) }: HttpServerOptions,
): (socket: Socket) => boolean {
  const slowReaders = watchSlowReaders(bounds.writeIdleTimeoutMs, onSlowReader);
  server.once("close", () => slowReaders.stop());
  const refused = new WeakSet<Socket>();
  // The connection of requests, which lies above that of the network where it is encrypted.
  const admit = (socket: Socket) => {
    const refusal = admitConnection?.(socket);
    if (refusal !== undefined) {
      refused.add(socket);
      refuseConnection(socket, refusal, clientErrorHeaders());
    }
    slowReaders.watch(socket);
  };
  server.on(tls === undefined ? "connection" : "secureConnection", guarded(admit, endSocket));
  return (socket) => !refused.has(socket);
}

const requestTimedOut = Object.assign(new Error("The request's body did not arrive."), {
  code: "ERR_HTTP_REQUEST_TIMEOUT",
});
const tinyChunks = Object.assign(new Error("The request's body came in tiny chunks."), { code: "TINY_CHUNKS" });
const headFailures = {
  NO_HOST: Object.assign(new Error("The request names no host."), { code: "NO_HOST" }),
  SEVERAL_HOSTS: Object.assign(new Error("The request names several hosts."), { code: "SEVERAL_HOSTS" }),
  ILL_TARGET: Object.assign(new Error("The request's target is no URL of a host."), { code: "ILL_TARGET" }),
};
const unknownExpectation = Object.assign(new Error("An unknown expectation."), { code: "UNKNOWN_EXPECTATION" });
const connectRefused = Object.assign(new Error("CONNECT was asked for."), { code: "CONNECT" });

/**
 * Connections that wait until they are accepted, as far as the system allows it (`net.core.somaxconn`, 4,096 by default). Those that
 * come during a restart of some seconds fit; what does not fit waits for its client's next SYN, a second later and then longer.
 */
export const waitingConnectionsMax = 4_096;

function listen(server: Server, { host, port, shared }: HttpServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.once("listening", () => {
      server.off("error", reject);
      resolve();
    });
    if (shared?.socket !== undefined) server.listen(shared.socket, waitingConnectionsMax);
    else server.listen({ host, port, reusePort: shared !== undefined, backlog: waitingConnectionsMax });
  });
}
