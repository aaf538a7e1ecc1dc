import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { clientGone, GatewayError } from "@gatehouse/errors";

/** Error with which the gateway ends a reply or a connection, stored on it: garbage collection would scan a WeakMap each time. */
const ending: unique symbol = Symbol("ending");

interface Ended {
  [ending]?: GatewayError;
}

/**
 * Records the error with which the gateway ends a reply that its handler still works on; call it before the error is sent. The
 * handler, which only sees the reply close, learns it from {@link replyEndOf}. Later errors of a reply have no effect.
 */
export function recordReplyEnd(res: ServerResponse & Ended, err: GatewayError): void {
  res[ending] ??= err;
}

/** Records that this process ends a connection, and so every reply on it, because it stops. */
export function recordStopOf(socket: Socket & Ended): void {
  socket[ending] ??= new GatewayError("unavailable", "The process stopped before the call had ended.", {
    retryAfterSeconds: 1,
  });
}

/** Error of {@link recordStopOf}; undefined where this process has not ended the connection. */
export function endOfConnection(socket: Socket & Ended): GatewayError | undefined {
  return socket[ending];
}

/** Error with which the gateway has ended a reply, or its connection; undefined where it has ended neither. */
export function recordedReplyEnd(res: ServerResponse & Ended): GatewayError | undefined {
  return res[ending] ?? endOfConnection(res.req.socket);
}

/** Why a reply has closed before its handler had finished it: the gateway has ended it, or else its client has left. */
export function replyEndOf(res: ServerResponse): GatewayError {
  return recordedReplyEnd(res) ?? clientGone();
}

/** Whether a reply can no longer be finished by its handler: its connection is closed, or the gateway has ended it. */
export function isReplyOver(res: ServerResponse & Ended): boolean {
  return res.destroyed || res[ending] !== undefined;
}
