import type { TokenReach } from "./reach.ts";

/** The kinds of project; each is served by one surface. */
export const projectTypes = ["ai_gateway", "mcp_gateway", "ai_wrapper", "api_gateway"] as const;
/** Decides which routes a project's tokens may use. */
export type ProjectType = (typeof projectTypes)[number];

/** Rights of a token: each route demands one. */
export const scopes = ["chat", "mcp", "models", "proxy"] as const;
/** A right of a token. */
export type Scope = (typeof scopes)[number];

/** Requests a window; null is unlimited. */
export interface RateLimits {
  readonly perMinute: number | null;
  readonly perHour: number | null;
}

/** The project of a token, as it was when the token was resolved. */
export interface PrincipalProject {
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  readonly projectType: ProjectType;
  readonly rateLimits: RateLimits;
  /** Time for which its calls go on while the ledger of limits and budgets is away; absent: they are refused. */
  readonly ledgerGraceSeconds?: number;
}

/** Limits of each user that a token's calls name; null is unlimited. */
export interface UserLimits {
  readonly perMinute: number | null;
  /** Micro-dollars a calendar month (UTC). */
  readonly monthlyBudgetMicros: number | null;
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
  /** Absent: an access token of the gateway's own. */
  readonly external?: ExternalSubject;
  /** Absent: the token's users have no separate limits. */
  readonly userLimits?: UserLimits;
}

/** Subject of a JWT from a trusted issuer. The principal's token id is the number that the gateway gave to this subject. */
export interface ExternalSubject {
  readonly issuerId: number;
  readonly subject: string;
}

/**
 * Roles of an administrator: owner does everything, editor changes all but the gateway's own administration, viewer reads.
 */
export const adminRoles = ["owner", "editor", "viewer"] as const;
/** From most to least rights. */
export type AdminRole = (typeof adminRoles)[number];

/** An administrator, known by an admin key, or by a console session that was opened with one. */
export interface AdminPrincipal {
  readonly kind: "admin";
  readonly adminKeyId: number;
  readonly name: string;
  readonly role: AdminRole;
  /** Uuids of the projects that the role is for; null stands for the whole gateway. */
  readonly projects: readonly string[] | null;
  /** The console session, where its cookie was sent instead of the key. */
  readonly session?: ConsoleSession;
}

/** The session by which an administrator's request came. */
export interface ConsoleSession {
  readonly id: number;
  /** Token that changing requests of the session send beside the cookie; see `csrfTokenOf`. */
  readonly csrfToken: string;
}

/** A caller that was authenticated: a project's token, or an administrator. */
export type Principal = TokenPrincipal | AdminPrincipal;

/** Whether a text from a database or a message is a project type. */
export function isProjectType(value: string): value is ProjectType {
  return (projectTypes as readonly string[]).includes(value);
}

/** Whether a text from a database or a message is a role. */
export function isAdminRole(value: string): value is AdminRole {
  return (adminRoles as readonly string[]).includes(value);
}

/** Whether a text from a database or a message is a scope. */
export function isScope(value: string): value is Scope {
  return (scopes as readonly string[]).includes(value);
}

/** Whether neither the token, its project nor its users have a rate limit, so that its requests need not be counted. */
export function isUnlimited({ rateLimits, project, userLimits }: TokenPrincipal): boolean {
  if ((userLimits?.perMinute ?? null) !== null) return false;
  return [rateLimits, project.rateLimits].every(({ perMinute, perHour }) => perMinute === null && perHour === null);
}

/** Begins the names of people who sign in with an identity provider. */
export const personPrefix = "person:";

/** The name of an administrator who is a person and signs in with OpenID Connect; no admin key has one like it. */
export function personName(name: string): string {
  return `${personPrefix}${name}`;
}

/** Actor in audit events for an administrator. */
export function adminActor(name: string): string {
  return name.startsWith(personPrefix) ? name : `admin_key:${name}`;
}
