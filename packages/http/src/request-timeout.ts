import type { IncomingMessage } from "node:http";

const timers = new WeakMap<IncomingMessage, NodeJS.Timeout>();

/**
 * Calls `onLate` when a request's body has not come whole within `timeoutMs`, unless the bound is lifted. Node's own bound holds
 * for a whole server, and would cut off the uploads of routes that pass bodies on as they come.
 */
export function boundRequest(req: IncomingMessage, timeoutMs: number, onLate: () => void): void {
  const timer = setTimeout(() => {
    if (!req.complete && !req.destroyed) onLate();
  }, timeoutMs);
  timers.set(req, timer);
  req.once("close", () => clearTimeout(timer));
}

/** For a request whose body is passed on as it comes, with its own bound. */
export function liftRequestTimeout(req: IncomingMessage): void {
  clearTimeout(timers.get(req));
}
