import type { AttemptBounds } from "./provider.ts";

/** Time-outs that an endpoint may set, ms. */
interface Timeouts {
  readonly timeoutMs: number | null;
  readonly firstTokenTimeoutMs: number | null;
  readonly idleTimeoutMs: number | null;
}

/**
 * The bounds of one attempt at an endpoint's target. `timeoutMs` bounds each wait and the whole attempt; the first token and
 * silence inside an answer have separate bounds where the endpoint sets them. The wait for a first token also raises the bound of
 * the reply's head, which providers send together with the first token.
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
