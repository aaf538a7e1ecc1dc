import type { PageResult } from "@gatehouse/database";
import type { JsonObject } from "@gatehouse/json-rpc";
import type { AccessToken } from "../domain/access-token.ts";
import type { Issuer } from "../domain/issuer.ts";
import type { Project } from "../domain/project.ts";

/** A project as the contract shows it (decisions: "Shapes"). */
export function encodeProject({ id, uuid, name, projectType, rateLimits, createdAt }: Project): JsonObject {
  return {
    id,
    uuid,
    name,
    project_type: projectType,
    rate_limit_per_minute: rateLimits.perMinute,
    rate_limit_per_hour: rateLimits.perHour,
    created_at: createdAt.toISOString(),
  };
}

/** A token as the contract shows it; its plaintext is added where it has just been minted. */
export function encodeToken(token: AccessToken): JsonObject {
  return {
    id: token.id,
    name: token.name,
    scopes: token.scopes,
    is_active: token.isActive,
    environment: token.environment,
    project: token.projectUuid,
    rate_limit_per_minute: token.rateLimits.perMinute,
    rate_limit_per_hour: token.rateLimits.perHour,
    endpoints: token.reach.endpoints,
    tools: token.reach.tools,
    networks: token.reach.networks,
    created_at: token.createdAt.toISOString(),
    last_used_at: token.lastUsedAt?.toISOString() ?? null,
    expires_at: token.expiresAt?.toISOString() ?? null,
  };
}

/** An issuer as the contract shows it. */
export function encodeIssuer(issuer: Issuer): JsonObject {
  return {
    id: issuer.id,
    project: issuer.projectUuid,
    issuer: issuer.issuer,
    audience: issuer.audience,
    scopes: issuer.scopes,
    scope_claim: issuer.scopeClaim,
    jwks_url: issuer.jwksUrl,
    rate_limit_per_minute: issuer.rateLimits.perMinute,
    rate_limit_per_hour: issuer.rateLimits.perHour,
    created_at: issuer.createdAt.toISOString(),
  };
}

/** A token that stands for a subject of an issuer. */
export function encodeSubject(token: AccessToken): JsonObject {
  return { ...encodeToken(token), issuer_id: token.external?.issuerId, subject: token.external?.subject };
}

/** A page under the list's own name; `next_cursor` is null on the last one. */
export function encodePage<T>(name: string, page: PageResult<T>, encode: (item: T) => JsonObject): JsonObject {
  return { [name]: page.items.map(encode), next_cursor: page.nextCursor ?? null };
}
