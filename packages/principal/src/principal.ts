import type { TokenReach } from "./reach.ts";

/** The kinds of project; each is served by one surface (decisions: "Names"). */
export const projectTypes = ["ai_gateway", "mcp_gateway", "ai_wrapper", "api_gateway"] as const;
export type ProjectType = (typeof projectTypes)[number];

export const scopes = ["chat", "mcp", "models", "proxy"] as const;
export type Scope = (typeof scopes)[number];

/** Requests a window; null is unlimited. */
export interface RateLimits {
  readonly perMinute: number | null;
  readonly perHour: number | null;
}

export interface PrincipalProject {
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  readonly projectType: ProjectType;
  readonly rateLimits: RateLimits;
}

/** An application, known by its access token. */
export interface TokenPrincipal {
  readonly kind: "token";
  readonly tokenId: number;
  readonly tokenName: string;
  readonly environment: "live" | "test";
  readonly scopes: readonly Scope[];
  readonly rateLimits: RateLimits;
  readonly project: PrincipalProject;
  /** Absent: everything that its scopes allow. */
  readonly reach?: TokenReach;
}

/** An administrator, known by an admin key. */
export interface AdminPrincipal {
  readonly kind: "admin";
  readonly adminKeyId: number;
  readonly name: string;
}

export type Principal = TokenPrincipal | AdminPrincipal;

export function isProjectType(value: string): value is ProjectType {
  return (projectTypes as readonly string[]).includes(value);
}

export function isScope(value: string): value is Scope {
  return (scopes as readonly string[]).includes(value);
}

/** Whether neither the token nor its project has a rate limit, so that its requests need not be counted. */
export function isUnlimited({ rateLimits, project }: TokenPrincipal): boolean {
  return [rateLimits, project.rateLimits].every(({ perMinute, perHour }) => perMinute === null && perHour === null);
}
