import type { TokenReach } from "./reach.ts";

/** Kinds of project; each is served by one surface. */
export const projectTypes = ["ai_gateway", "mcp_gateway", "ai_wrapper", "api_gateway"] as const;
/** Type of a project, one of {@link projectTypes}; the router refuses its tokens on other surfaces. */
export type ProjectType = (typeof projectTypes)[number];

/** Traffic of each type of project, by the names that guardrail policies have for it (`surfaces`). */
export const surfaceOfProject = {
  ai_gateway: "chat",
  ai_wrapper: "chat",
  mcp_gateway: "mcp",
  api_gateway: "api",
} as const satisfies Readonly<Record<ProjectType, string>>;

/** Rights of a token; each route requires one. */
export const scopes = ["chat", "mcp", "models", "proxy"] as const;
/** Permission of a token, required by a group of routes. */
export type Scope = (typeof scopes)[number];

/** Requests per window; null is unlimited. */
export interface RateLimits {
  readonly perMinute: number | null;
  readonly perHour: number | null;
}

/** Project of a token, as of the token's resolution. */
export interface PrincipalProject {
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  readonly projectType: ProjectType;
  readonly rateLimits: RateLimits;
  /** Time for which its calls go on during an outage of the ledger of limits and budgets; absent: they are refused. */
  readonly ledgerGraceSeconds?: number;
}

/** Limits of each user named by a token's calls; null is unlimited. */
export interface UserLimits {
  readonly perMinute: number | null;
  /** Micro-dollars per calendar month (UTC). */
  readonly monthlyBudgetMicros: number | null;
}

/** An application, identified by its access token. */
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
  /** Absent: an access token issued by the gateway. */
  readonly external?: ExternalSubject;
  /** Absent: the token's users have no separate limits. */
  readonly userLimits?: UserLimits;
}

/** Subject of a JWT from a trusted issuer. The principal's token id is the gateway's number for this subject. */
export interface ExternalSubject {
  readonly issuerId: number;
  readonly subject: string;
}

/** Roles of an administrator: owner may do everything, editor may change all but the gateway's own administration, viewer may read. */
export const adminRoles = ["owner", "editor", "viewer"] as const;
/** By falling rights. */
export type AdminRole = (typeof adminRoles)[number];

/** An administrator, identified by an admin key, or by a console session opened with one. */
export interface AdminPrincipal {
  readonly kind: "admin";
  readonly adminKeyId: number;
  readonly name: string;
  readonly role: AdminRole;
  /** UUIDs of the projects of the role; null for the whole gateway. */
  readonly projects: readonly string[] | null;
  /** The console session, where its cookie was sent instead of the key. */
  readonly session?: ConsoleSession;
}

/** Console session that authenticated an administrator's request; `id` is its row in the control plane. */
export interface ConsoleSession {
  readonly id: number;
  /** Token that changing requests of the session send in addition to the cookie; see `csrfTokenOf`. */
  readonly csrfToken: string;
}

/** An authenticated caller: a project's token, or an administrator. */
export type Principal = TokenPrincipal | AdminPrincipal;

/** Whether a stored or received text is a project type that this version knows. */
export function isProjectType(value: string): value is ProjectType {
  return (projectTypes as readonly string[]).includes(value);
}

/** Whether a stored or received text is a role that this version knows. */
export function isAdminRole(value: string): value is AdminRole {
  return (adminRoles as readonly string[]).includes(value);
}

/** Whether a stored or received text is a scope that this version knows; readers drop others. */
export function isScope(value: string): value is Scope {
  return (scopes as readonly string[]).includes(value);
}

/** Whether neither the token, its project nor its users have a rate limit, so that its requests need not be counted. */
export function isUnlimited({ rateLimits, project, userLimits }: TokenPrincipal): boolean {
  if ((userLimits?.perMinute ?? null) !== null) return false;
  return [rateLimits, project.rateLimits].every(({ perMinute, perHour }) => perMinute === null && perHour === null);
}

/** Prefix of the names of people who sign in with an identity provider. */
export const personPrefix = "person:";

/** Name of an administrator who signs in with OpenID Connect; no admin key has such a name. */
export function personName(name: string): string {
  return `${personPrefix}${name}`;
}

/** Actor of an administrator in audit events: `person:<name>` after a sign-in with OpenID Connect, else `admin_key:<name>`. */
export function adminActor(name: string): string {
  return name.startsWith(personPrefix) ? name : `admin_key:${name}`;
}
