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

/** Routes that share a request's path, and the project in that path, as sent. */
export type Destination =
  | { readonly group: RouteGroup<DataRoute>; readonly projectUuid: string }
  | { readonly group: RouteGroup<ControlRoute>; readonly projectUuid: "" };

/** Mutable record of one request in the dispatcher, from its head until its reply is sent or its connection is closed. */
export interface RequestState {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly destination: Destination;
  readonly requestId: string;
  readonly ipAddress: string;
  readonly protocol: Protocol;
  readonly span: Span;
  readonly startedAtMs: number;
  /** Undefined where no share was free. */
  readonly share: OpenRequestShare | undefined;
  routeId: string;
  /** Headers with the credential; those of a sign-in are built from its body. */
  credential: { readonly by: AuthenticationName; readonly rawHeaders: readonly string[] };
  principal: Principal | undefined;
  /** A service has answered, or will record that the caller left. */
  isServed: boolean;
  /** Its entry in the open requests while a service handles it. */
  open: OpenRequest | undefined;
  /** Present while its body waits to be read. */
  bodyWait: BodyWait | undefined;
  /** Error with which the router ended it after a service had begun. */
  endedBy: GatewayError | undefined;
  isSettled: boolean;
  /** Whether the reply has been sent, or the connection is closed. */
  isClosed: boolean;
}

/**
 * Calls `onClosed` once, when the whole reply has been written to the socket or the connection is closed. A pipelined request may
 * never be assigned its connection, so the connection's end counts as well, with one listener per connection.
 */
export function watchReply(req: IncomingMessage, res: ServerResponse, onClosed: () => void): void {
  const { socket } = req;
  const others = waitingOf(socket);
  const settle = () => {
    const at = others.indexOf(settle);
    if (at === -1) return;
    others.splice(at, 1);
    onClosed();
  };
  others.push(settle);
  res.on("close", settle);
  if (socket.destroyed) setImmediate(settle);
}

/** Replies of a connection that wait for its end; on the socket, since garbage collection would scan a WeakMap each time. */
const waiting: unique symbol = Symbol("waiting");

interface WaitedFor extends Socket {
  [waiting]?: (() => void)[];
}

function waitingOf(socket: WaitedFor): (() => void)[] {
  const known = socket[waiting];
  if (known !== undefined) return known;
  const added: (() => void)[] = [];
  socket[waiting] = added;
  socket.once("close", () => {
    for (const settle of added.slice()) settle();
  });
  return added;
}

/** Facts about a request's sender as received; only a `ClientOf` can derive the client's address from them. */
export function senderAddressOf({ socket, headers }: IncomingMessage): SenderAddress {
  return {
    peerAddress: socket.remoteAddress,
    forwardedFor: headers["x-forwarded-for"],
    forwardedProto: headers["x-forwarded-proto"],
  };
}
