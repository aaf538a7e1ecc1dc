/** The two fixed windows of a rate limit, as the reply's `scope` names them. */
export type WindowScope = "minute" | "hour";

export const windowMs: Readonly<Record<WindowScope, number>> = { minute: 60_000, hour: 3_600_000 };

/** The beginning of the UTC window that holds an instant; both in epoch milliseconds. */
export function windowStart(scope: WindowScope, atMs: number): number {
  return Math.floor(atMs / windowMs[scope]) * windowMs[scope];
}

/** Whole seconds from `nowMs` to an instant, rounded up, at least 1: a `Retry-After`. */
export function secondsUntil(instantMs: number, nowMs: number): number {
  return Math.max(1, Math.ceil((instantMs - nowMs) / 1_000));
}
