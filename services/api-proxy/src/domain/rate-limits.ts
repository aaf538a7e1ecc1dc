import type { TokenPrincipal } from "@gatehouse/principal";

/** The window of a rate limit with the fewest requests left. */
export interface TightestWindow {
  readonly limit: number;
  readonly remaining: number;
  readonly resetAtSeconds: number;
}

/** Counts a request. @throws GatewayError `rate_limited`, or `unavailable` where it cannot be known. */
export type Admit = (principal: TokenPrincipal) => Promise<TightestWindow | undefined>;

/** Whether anything limits a token's requests. */
export function isLimited({ rateLimits, project }: TokenPrincipal): boolean {
  const { rateLimits: projects } = project;
  return [rateLimits.perMinute, rateLimits.perHour, projects.perMinute, projects.perHour].some(
    (limit) => limit !== null,
  );
}
