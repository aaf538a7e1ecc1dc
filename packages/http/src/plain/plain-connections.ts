import type { RequestListener, Server } from "node:http";
import type { Socket } from "node:net";
import { guarded, throwUncaught } from "@gatehouse/async";
import type { HttpServerBounds } from "../open-server.ts";
import { PlainConnection, type PlainOwner } from "./plain-connection.ts";

export interface PlainRequestOptions {
  /** Whether requests for this path and query are for the listener; others are Node's. Absent: all are. */
  readonly takesPlain?: ((url: string) => boolean) | undefined;
  readonly bounds: HttpServerBounds;
  /** Takes a request whose client has left inside its body, as Node's server passes it to the listener; its reply is closed. */
  readonly onLeft: RequestListener;
  /** With TLS, all requests are Node's. */
  readonly tls?: object | undefined;
}

/** Interval of looks at quiet connections. */
const lookMs = 1_000;
/** Looks after which Node waits for the rest of a request, or for the first one: it bounds both waits. */
const quietLooksMax = 2;

type ConnectionListener = (this: Server, socket: Socket) => void;

/**
 * Reads the plain requests of a server without Node's parser, whose objects, streams and timers cost more than a small request
 * (docs/adr/0037). Call it before other listeners of connections are added.
 * @param listener takes the requests: `WholeRequest`s, with `PlainReply`s
 */
export function readPlainRequests(
  server: Server,
  listener: RequestListener,
  { takesPlain: takes, onLeft, bounds, tls }: PlainRequestOptions,
): void {
  const [readByNode] = server.listeners("connection") as ConnectionListener[];
  if (takes === undefined || tls !== undefined || readByNode === undefined) return;
  const open = new Set<PlainConnection>();
  const { keepAliveTimeoutMs, headerBytesMax: headBytesMax } = bounds;
  const owner: PlainOwner = {
    server,
    listener,
    onLeft,
    takes,
    keepAliveTimeoutMs,
    headBytesMax,
    waitingBytes: 0,
    handOver: (socket) => readByNode.call(server, socket),
    onEnd: (connection) => void open.delete(connection),
  };
  /** Runs while there are such connections. */
  let timer: NodeJS.Timeout | undefined;
  const look = () => {
    for (const connection of open) {
      connection.quietLooks += 1;
      if (connection.isBusy) continue;
      if (!connection.isAtRest && connection.quietLooks > quietLooksMax) connection.handOver();
      else if (connection.quietLooks * lookMs > keepAliveTimeoutMs + lookMs) connection.end();
    }
    if (open.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  server.off("connection", readByNode);
  const take = (socket: Socket) => {
    open.add(new PlainConnection(socket, owner));
    timer ??= setInterval(look, lookMs).unref();
  };
  server.on(
    "connection",
    guarded(take, (cause, socket) => {
      socket.destroy();
      throwUncaught(cause);
    }),
  );
  server.once("close", () => clearInterval(timer));
}
