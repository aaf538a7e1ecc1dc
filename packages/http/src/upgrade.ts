import { type IncomingMessage, type RequestListener, type Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { guarded, throwUncaught } from "@gatehouse/async";

const heads = new WeakMap<IncomingMessage, Buffer>();

/**
 * Bytes that a client has sent already after the head of a request to switch to WebSocket; undefined for any other request. Such
 * a request is answered like any other where it is not switched, on a connection that closes then.
 */
export function upgradeHeadOf(req: IncomingMessage): Buffer | undefined {
  return heads.get(req);
}

/** Only a GET asks for a WebSocket (RFC 6455, section 4.1). Other protocols are not offered, so the request stays what it is. */
export function asksForWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === "GET" && headers.upgrade?.trim().toLowerCase() === "websocket";
}

/** Takes a connection over with what its client has sent behind the request's head. @returns false where it stays a request. */
export type TakeConnection = (req: IncomingMessage, socket: Socket, head: Buffer) => boolean;

/** Hands requests to switch protocols to the listener of all requests, but those that `take` takes. @returns the connections that are being switched or were. */
export function listenForUpgrades(
  server: Server,
  listener: RequestListener,
  take: TakeConnection = () => false,
): ReadonlySet<Socket> {
  const switched = new Set<Socket>();
  const onUpgrade = (req: IncomingMessage, stream: Duplex, head: Buffer) => {
    // Servers of node:http hand out sockets of node:net.
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

/** Node before 24.9 has no hook for the wanted protocols; a body is then out of reach. */
function hasAnyBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/**
 * Undefined where an answer to an earlier request still holds the connection, or Node's own (417), or that of a refused connection: two
 * answers cannot hold one, and Node throws then where nothing would catch it.
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
