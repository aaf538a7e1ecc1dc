import type { AttemptBounds } from "./provider.ts";

/** Time-outs that an endpoint may set, ms. */
interface Timeouts {
  readonly timeoutMs: number | null;
  readonly firstTokenTimeoutMs: number | null;
  readonly idleTimeoutMs: number | null;
}

/**
 * The bounds of one attempt at an endpoint's target. `timeoutMs` bounds each wait and the attempt as a whole; the first token and
 * silence inside an answer have separate bounds where the endpoint names them. A wait for a first token may be longer than the
 * service's bound of a reply's head: providers send the head with it.
 */
export function attemptBoundsOf(endpoint: Timeouts, bounds: AttemptBounds): AttemptBounds {
  const timeoutMs = endpoint.timeoutMs ?? undefined;
  const firstTokenMs = endpoint.firstTokenTimeoutMs ?? timeoutMs ?? bounds.firstTokenMs;
  const headersMs = timeoutMs ?? bounds.headersMs;
  return {
    connectMs: Math.min(bounds.connectMs, timeoutMs ?? bounds.connectMs),
    headersMs: endpoint.firstTokenTimeoutMs === null ? headersMs : Math.max(headersMs, firstTokenMs),
    firstTokenMs,
    idleMs: endpoint.idleTimeoutMs ?? Math.min(bounds.idleMs, timeoutMs ?? bounds.idleMs),
    totalMs: timeoutMs ?? Math.max(bounds.totalMs, firstTokenMs),
  };
}
