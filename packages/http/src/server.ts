import type { IncomingMessage, RequestListener, Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { guarded, throwUncaught } from "@gatehouse/async";
import type { GatewayError } from "@gatehouse/errors";
import { asksToCarry, CarriedConnections } from "./carrier/carried-connections.ts";
import { answerClientError, bodyErrorOf, leftInside, refuseConnection } from "./client-error.ts";
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
import { readPlainRequests } from "./plain/plain-connections.ts";
import { recordStopOf } from "./reply-end.ts";
import { toOriginForm } from "./request-target.ts";
import { boundRequest } from "./request-timeout.ts";
import { watchSlowReaders } from "./slow-readers.ts";
import { StopNotice } from "./stop-notice.ts";
import { stopServer } from "./stop-server.ts";
import { refuseTinyChunks } from "./tiny-chunks.ts";
import { codingFailureOf } from "./transfer-coding.ts";
import { asksForWebSocket, listenForUpgrades, type TakeConnection } from "./upgrade.ts";

export { defaultHttpServerBounds, type HttpServerBounds } from "./open-server.ts";

/** Listening HTTP server, from {@link startHttpServer}. */
export interface HttpServer {
  readonly port: number;
  /** Socket for a process that takes over the port; see {@link SharedPort}. */
  readonly socket: ListeningSocket | undefined;
  /**
   * From now on replies whose head is unsent ask clients for another connection, because the next request on this one would find
   * the server stopped. Idempotent.
   */
  readonly announceStop: () => void;
  /**
   * Takes no new connection, lets requests in flight finish within the bound, then ends the rest. Idle connections are kept for
   * `idleMs` (0 when absent), because a client may be about to send on them.
   */
  readonly stop: (drainMs: number, idleMs?: number) => Promise<void>;
}

/** A listening socket, as processes of one machine pass it to each other; or its file descriptor, where it was inherited. */
export type ListeningSocket = object & { readonly fd?: number; readonly [listening]?: never };
declare const listening: unique symbol;

/**
 * A port that several processes listen on, each with its own socket; the kernel spreads new connections over the sockets
 * (`SO_REUSEPORT`: Linux 3.9, FreeBSD 12, DragonFly BSD 3.6, Solaris 11.4, AIX 7.2.5).
 */
export interface SharedPort {
  /** Existing socket of another process that ends or shares it, with its unaccepted connections. A new one where absent. */
  readonly socket?: ListeningSocket;
  /** Whether another process holds the socket too, called when the server stops. Absent means true. */
  readonly isHeld?: () => boolean;
}

/** Options of {@link startHttpServer}; absent hooks mean that nothing is called or refused. */
export interface HttpServerOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly bounds?: HttpServerBounds;
  /** Headers of replies to what never became a request, such as a request id. Names and values must be safe to send unescaped. */
  readonly clientErrorHeaders?: () => Readonly<Record<string, string>>;
  /** Whether requests for a WebSocket reach the listener as such (`upgradeHeadOf`); if not, they are ordinary requests. */
  readonly upgrades?: boolean;
  /** Present: callers may have many requests on one connection at a time (`CarryingDispatcher`); they reach the listener like others. */
  readonly carrying?: Carrying;
  /**
   * For which paths and queries plain requests are read without Node's parser (docs/adr/0037), on connections without TLS. The
   * listener must leave the class of their replies as it is, which frameworks do not. Absent: for none.
   */
  readonly takesPlain?: (url: string) => boolean;
  /** Called for each new connection; a returned error is sent as the reply, and the connection closed. */
  readonly admitConnection?: (socket: Socket) => GatewayError | undefined;
  /** Called when a connection is ended because its client does not read. */
  readonly onSlowReader?: () => void;
  /** For a port that other processes listen on too; absent for an exclusive one. */
  readonly shared?: SharedPort;
  /** Present: connections use TLS. */
  readonly tls?: HttpServerTls | undefined;
}

interface Carrying {
  /** Called once for each connection, with the request that opens it. The listener still checks each call on it. */
  readonly admits: (req: IncomingMessage) => boolean;
}

/** @throws the platform's error when the address cannot be listened on (`EADDRINUSE`, `EACCES`). */
export async function startHttpServer(listener: RequestListener, options: HttpServerOptions): Promise<HttpServer> {
  const { bounds = defaultHttpServerBounds, clientErrorHeaders = () => ({}), upgrades = false, carrying } = options;
  const answer = (err: NodeJS.ErrnoException, socket: Socket) =>
    answerClientError(err, socket, { headers: clientErrorHeaders(), headerBytesMax: bounds.headerBytesMax });
  const toLastReply = (err: NodeJS.ErrnoException, socket: Socket) => {
    return { say: () => answer(err, socket), err: bodyErrorOf(err) };
  };
  const refuse = (err: NodeJS.ErrnoException, req: IncomingMessage) => refuseInTurn(req, toLastReply(err, req.socket));
  const server = openServer(toServerOptions(bounds, switchesOf(options)), options.tls);
  const onLeft = listenForLeft(listener, (socket) => admitted(socket));
  readPlainRequests(server, (req, res) => take(req, res), { bounds, onLeft, ...options });
  const open = trackConnections(server, "connection");
  // With TLS, `req.socket` is the TLS socket on top of the TCP connection.
  const sockets = options.tls === undefined ? open : trackConnections(server, "secureConnection");
  const notice = new StopNotice(sockets);
  const admitted = admitConnections(server, bounds, options);
  const carried = new CarriedConnections(listener);
  /** Handles a request in its turn, refusals included: an early refusal would be taken for the answer to an earlier request. */
  const takeInTurn = (begin: RequestListener) =>
    // Failures are caught even where the request begins in a later turn.
    inTurn(guarded<Parameters<RequestListener>>((req, res) => begin(req, res), endConnection));
  const handle = takeInTurn((req, res) => {
    const failure = headFailureOf(req);
    if (failure !== undefined) return refuse(headFailures[failure], req);
    if (hasBody(req) && !req.complete) boundRequest(req, bounds.requestTimeoutMs, () => refuse(requestTimedOut, req));
    return carried.serve(req, res);
  });
  const onRequest: RequestListener = (req, res) => {
    if (!admitted(req.socket)) return;
    notice.heed(res);
    if (req.headers["transfer-encoding"] !== undefined) {
      // The rest is not read, since reading it is the cost of the attack.
      refuseTinyChunks(req, () => {
        req.socket.once("finish", () => req.socket.destroy());
        refuse(tinyChunks, req);
      });
    }
    handle(req, res);
  };
  const take = guarded(onRequest, endConnection);
  server.on("request", take);
  const refuseExpectation = takeInTurn((req) => refuse(unknownExpectation, req));
  const onExpectation: RequestListener = (req, res) => {
    if (admitted(req.socket)) refuseExpectation(req, res);
  };
  // Without a listener, Node answers 417 without a body. `100-continue` does not come here.
  server.on("checkExpectation", guarded(onExpectation, endConnection));
  answerUnserved(server, (err, socket) => {
    endInTurn(socket, toLastReply(err, socket), { hasLeft: err.code === leftInside });
  });
  const onUpgrade: RequestListener = (req, res) => {
    if (!admitted(req.socket)) return;
    const failure = headFailureOf(req);
    if (failure === undefined) carried.serve(req, res);
    else refuse(headFailures[failure], req);
  };
  const switched = upgrades ? listenForUpgrades(server, onUpgrade, takeCarried(carrying, carried)) : new Set<Socket>();
  await listen(server, options);
  return {
    port: (server.address() as AddressInfo).port,
    // Node has no public name for the handle. If it is missing, a process that takes over the port opens another socket.
    socket: (server as { readonly _handle?: ListeningSocket })._handle,
    announceStop: () => notice.announce(),
    stop: createStop(server, { open, sockets, notice, switched, carried, shared: options.shared }),
  };
}

/** Takes requests whose client has left inside the body; not in their turn, since an ending connection has none. */
function listenForLeft(listener: RequestListener, isAdmitted: (socket: Socket) => boolean): RequestListener {
  return guarded<Parameters<RequestListener>>((req, res) => {
    if (isAdmitted(req.socket) && headFailureOf(req) === undefined) listener(req, res);
  }, endConnection);
}

function headFailureOf(req: IncomingMessage): keyof typeof headFailures | undefined {
  return hostFailureOf(req) ?? codingFailureOf(req) ?? toOriginForm(req);
}

/** Accepts the connections that carry calls. */
function takeCarried(carrying: Carrying | undefined, carried: CarriedConnections): TakeConnection {
  return (req, socket, head) => {
    if (carrying === undefined || !asksToCarry(req)) return false;
    if (carrying.admits(req)) carried.take(socket, head);
    else socket.destroy();
    return true;
  };
}

/** Whether a request may switch protocols; undefined where none may. */
function switchesOf({ upgrades, carrying }: HttpServerOptions): ((req: IncomingMessage) => boolean) | undefined {
  if (upgrades !== true) return undefined;
  return carrying === undefined ? asksForWebSocket : (req) => asksForWebSocket(req) || asksToCarry(req);
}

interface Connections {
  readonly open: ReadonlySet<Socket>;
  readonly sockets: ReadonlySet<Socket>;
  readonly notice: StopNotice;
  /** Connections that have switched protocols. */
  readonly switched: ReadonlySet<Socket>;
  readonly carried: CarriedConnections;
  /** Shared port; its `isHeld` is called when the server stops. */
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
      endAll: () => {
        sockets.forEach((socket) => recordStopOf(socket));
        open.forEach((socket) => socket.destroy());
      },
    });
  };
}

/** Ends the connection after an exception of the gateway's own code: its state is in doubt. */
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
    // Node no longer reads the socket, and would not notice that the client has abandoned its earlier calls.
    const onEnd = guarded(() => void socket.destroy(), throwUncaught);
    socket.on("end", onEnd).resume();
    // node:http passes sockets of node:net.
    keepDraining(socket as Socket);
    answer(connectRefused, socket as Socket);
  };
  server.on("connect", guarded(onConnect, endConnection));
}

function endSocket(cause: unknown, socket: Socket): void {
  socket.destroy();
  throwUncaught(cause);
}

/** Tracks open connections: TCP ones, or the TLS ones on top. */
function trackConnections(server: Server, event: "connection" | "secureConnection"): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  const track = (socket: Socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  };
  server.on(event, guarded(track, endSocket));
  return open;
}

/** Admits or refuses each new connection, and watches those admitted. @returns whether a connection was admitted. */
function admitConnections(
  server: Server,
  bounds: HttpServerBounds,
  { admitConnection, onSlowReader, tls, clientErrorHeaders = () => ({}) }: HttpServerOptions,
): (socket: Socket) => boolean {
  const slowReaders = watchSlowReaders(bounds.writeIdleTimeoutMs, onSlowReader);
  server.once("close", () => slowReaders.stop());
  const refused = new WeakSet<Socket>();
  // The TLS connection where there is one.
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
  OTHER_CODING: Object.assign(new Error("The request has an unknown transfer coding."), { code: "OTHER_CODING" }),
  ILL_TARGET: Object.assign(new Error("The request's target is no URL of a host."), { code: "ILL_TARGET" }),
};
const unknownExpectation = Object.assign(new Error("An unknown expectation."), { code: "UNKNOWN_EXPECTATION" });
const connectRefused = Object.assign(new Error("CONNECT was asked for."), { code: "CONNECT" });

/**
 * Listen backlog, which the system may cap (`net.core.somaxconn`, 4,096 by default). The connections of a restart of some seconds
 * fit; further ones wait for their client's next SYN, after a second and then longer.
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
