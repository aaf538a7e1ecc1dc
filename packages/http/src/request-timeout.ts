import type { IncomingMessage } from "node:http";

/** The timer of a request's body. A table of weak keys would cost every collection a look at each request. */
const bodyTimer: unique symbol = Symbol("bodyTimer");

interface Bounded extends IncomingMessage {
  [bodyTimer]?: NodeJS.Timeout;
}

/**
 * Calls `onLate` when a request's body has not come whole within `timeoutMs`, until the bound is lifted. Node's own bound holds
 * for a whole server, and would cut off the uploads of routes that pass bodies on as they come.
 */
export function boundRequest(req: Bounded, timeoutMs: number, onLate: () => void): void {
  // The connection keeps the process up for as long as there is something to end.
  req[bodyTimer] = setTimeout(() => {
    if (!req.complete && !req.destroyed) onLate();
  }, timeoutMs).unref();
}

/** For a request that is over, or whose body is passed on as it comes, with its own bound. */
export function liftRequestTimeout(req: Bounded): void {
  clearTimeout(req[bodyTimer]);
}
