import type { TightestWindow } from "./allowance.ts";

/** `X-RateLimit-*` of the tightest window; none for a token without limits. */
export function windowHeaders(window: TightestWindow | undefined): Record<string, string> {
  if (window === undefined) return {};
  return {
    "x-ratelimit-limit": String(window.limit),
    "x-ratelimit-remaining": String(window.remaining),
    "x-ratelimit-reset": String(window.resetAtSeconds),
  };
}
