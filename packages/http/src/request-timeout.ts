import type { IncomingMessage } from "node:http";

/** The timer of a request's body, stored on it: garbage collection would scan a WeakMap each time. */
const bodyTimer: unique symbol = Symbol("bodyTimer");

interface Bounded extends IncomingMessage {
  [bodyTimer]?: NodeJS.Timeout;
}

/**
 * Calls `onLate` when a request's body is not complete within `timeoutMs`, until the bound is lifted. Node's bound holds for a
 * whole server, and would cut off uploads on routes that stream bodies.
 */
export function boundRequest(req: Bounded, timeoutMs: number, onLate: () => void): void {
  // The connection itself keeps the process alive.
  req[bodyTimer] = setTimeout(() => {
    if (!req.complete && !req.destroyed) onLate();
  }, timeoutMs).unref();
}

/** Removes the bound, for a request that is over or whose body is streamed within another bound. */
export function liftRequestTimeout(req: Bounded): void {
  clearTimeout(req[bodyTimer]);
}
