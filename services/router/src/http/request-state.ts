import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { GatewayError } from "@gatehouse/errors";
import type { Principal, Protocol } from "@gatehouse/principal";
import type { Span } from "@gatehouse/telemetry";
import type { AuthenticationName } from "../app/authenticate.ts";
import type { SenderAddress } from "../domain/client.ts";
import type { OpenRequestShare } from "../domain/fair-share-limiter.ts";
import type { RouteGroup } from "../domain/route-matcher.ts";
import type { ControlRoute, DataRoute } from "../domain/route-table.ts";
import type { BodyWait } from "./body-admission-queue.ts";
import type { OpenRequest } from "./open-requests.ts";

/** Destination of a request: the routes that share its path. */
export type Destination =
  | { readonly group: RouteGroup<DataRoute>; readonly projectUuid: string }
  | { readonly group: RouteGroup<ControlRoute>; readonly projectUuid: "" };

/** One request on its way through the dispatcher. */
export interface RequestState {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly destination: Destination;
  readonly requestId: string;
  readonly ipAddress: string;
  readonly protocol: Protocol;
  readonly span: Span;
  readonly startedAtMs: number;
  /** Undefined where there was no room for it. */
  readonly share: OpenRequestShare | undefined;
  routeId: string;
  /** The headers that carry it; those of a sign-in are made of its body. */
  credential: { readonly by: AuthenticationName; readonly rawHeaders: readonly string[] };
  principal: Principal | undefined;
  /** A service has answered, or is the one to say that its caller left. */
  isServed: boolean;
  /** Its entry in the list of open requests while a service deals with it. */
  open: OpenRequest | undefined;
  /** While its body waits to be read. */
  bodyWait: BodyWait | undefined;
  /** Error that ended it from here, after it was handed to a service. */
  endedBy: GatewayError | undefined;
  /** Whether all work for the request has ended. */
  isSettled: boolean;
  /** Whether the reply has left, or the connection is gone. */
  isClosed: boolean;
}

/**
 * Says when the replies of requests have left their connections. A request that was sent behind another one on the same
 * connection may never get to a connection, so the connection's own end counts as well: one listener for each.
 */
export class ReplyCompletions {
  readonly #bySocket = new WeakMap<Socket, Set<() => void>>();

  /** Calls `onClosed` once, when the reply has been handed to the system whole or the connection is gone. */
  watch(req: IncomingMessage, res: ServerResponse, onClosed: () => void): void {
    const { socket } = req;
    const waiting = this.#waitingOf(socket);
    const settle = () => {
      if (waiting.delete(settle)) onClosed();
    };
    waiting.add(settle);
    res.on("close", settle);
    if (socket.destroyed) setImmediate(settle);
  }

  #waitingOf(socket: Socket): Set<() => void> {
    const known = this.#bySocket.get(socket);
    if (known !== undefined) return known;
    const waiting = new Set<() => void>();
    this.#bySocket.set(socket, waiting);
    socket.once("close", () => waiting.forEach((settle) => settle()));
    return waiting;
  }
}

/** Facts of a request about its sender's address; see `createClientOf`. */
export function senderAddressOf({ socket, headers }: IncomingMessage): SenderAddress {
  return {
    peerAddress: socket.remoteAddress,
    forwardedFor: headers["x-forwarded-for"],
    forwardedProto: headers["x-forwarded-proto"],
  };
}
