import { type IncomingMessage, type RequestListener, type Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { guarded, throwUncaught } from "@gatehouse/async";

const heads = new WeakMap<IncomingMessage, Buffer>();

/**
 * Bytes received after the head of a request to switch to WebSocket; undefined for any other request. Such a request may also be
 * answered normally; its connection is then closed.
 */
export function upgradeHeadOf(req: IncomingMessage): Buffer | undefined {
  return heads.get(req);
}

/** Only a GET may ask for a WebSocket (RFC 6455, section 4.1). Requests for other protocols are handled as ordinary ones. */
export function asksForWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === "GET" && headers.upgrade?.trim().toLowerCase() === "websocket";
}

/** Takes over a connection, with the bytes after the request's head. @returns false where it remains a request. */
export type TakeConnection = (req: IncomingMessage, socket: Socket, head: Buffer) => boolean;

/**
 * Passes requests to switch protocols to the ordinary listener, except those that `take` accepts.
 * @returns the connections that are switching or have switched.
 */
export function listenForUpgrades(
  server: Server,
  listener: RequestListener,
  take: TakeConnection = () => false,
): ReadonlySet<Socket> {
  const switched = new Set<Socket>();
  const onUpgrade = (req: IncomingMessage, stream: Duplex, head: Buffer) => {
    // node:http passes sockets of node:net.
    const socket = stream as Socket;
    if (take(req, socket, head)) return undefined;
    switched.add(socket);
    // Without a listener, an error of an abandoned connection would end the process.
    socket.on("error", () => socket.destroy());
    socket.once("close", () => switched.delete(socket));
    if (asksForWebSocket(req)) heads.set(req, head);
    else if (hasAnyBody(req)) return void socket.destroy();
    const res = createResponse(req, socket);
    if (res === undefined) return void socket.destroy();
    // Node no longer reads the socket. As with other requests, a client that closes its side waits for no reply.
    const onEnd = () => void (res.statusCode === 101 || socket.destroy());
    socket.on("end", guarded(onEnd, throwUncaught));
    listener(req, res);
    return undefined;
  };
  server.on(
    "upgrade",
    guarded(onUpgrade, (cause, _req, stream) => {
      stream.destroy();
      throwUncaught(cause);
    }),
  );
  return switched;
}

/** Node before 24.9 has no hook for the requested protocols; a body then cannot be read. */
function hasAnyBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/**
 * Undefined where a reply still holds the connection: an earlier one, Node's 417, or a refusal. A connection has one reply at a
 * time, and Node would throw uncaught.
 */
function createResponse(req: IncomingMessage, socket: Socket): ServerResponse | undefined {
  const res = new ServerResponse(req);
  res.shouldKeepAlive = false;
  try {
    res.assignSocket(socket);
  } catch {
    return undefined;
  }
  res.once("finish", () => {
    if (res.statusCode === 101) return;
    res.detachSocket(socket);
    socket.destroySoon();
  });
  return res;
}
