import type { JsonObject } from "@gatehouse/json-rpc";
import type { Endpoint, EndpointAuth, OauthConnection } from "@gatehouse/proto/api-proxy";
import { requirePart, toTimestamp } from "./parse-reply.ts";

/** An API Gateway endpoint as the contract shows it: what is not set is null, and no secret is in it. */
export function encodeProxyEndpoint(endpoint: Endpoint | undefined): JsonObject {
  const part = requirePart(endpoint, "endpoint");
  const { uuid, projectUuid, isActive, definition, createdAt, updatedAt, warning } = part;
  const defined = requirePart(definition, "definition");
  return {
    uuid,
    slug: defined.slug,
    project: projectUuid,
    is_active: isActive,
    upstream_url: defined.upstreamUrl,
    allowed_methods: defined.allowedMethods,
    auth: encodeAuth(requirePart(defined.auth, "auth")),
    timeout_ms: defined.timeoutMs ?? null,
    description: defined.description ?? null,
    created_at: toTimestamp(createdAt),
    updated_at: toTimestamp(updatedAt),
    ...(warning === undefined ? {} : { warning }),
  };
}

function encodeAuth({ type, name, username, connectionId }: EndpointAuth): JsonObject {
  if (type === "header") return { type, name };
  if (type === "basic") return { type, username };
  if (type === "oauth") return { type, connection_id: connectionId };
  return { type };
}

/** A connection without its secret and tokens. */
export function encodeConnection(connection: OauthConnection | undefined): JsonObject {
  const part = requirePart(connection, "connection");
  return {
    id: part.id,
    name: part.name,
    project: part.projectUuid,
    token_url: part.tokenUrl,
    client_id: part.clientId,
    grant: part.grant,
    scopes: part.scopes,
    status: part.status,
    last_error: part.lastError === "" ? null : part.lastError,
    expires_at: toTimestamp(part.expiresAt),
    created_at: toTimestamp(part.createdAt),
  };
}
