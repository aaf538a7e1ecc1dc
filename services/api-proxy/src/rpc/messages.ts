import type { PageRequest } from "@gatehouse/database";
import { GatewayError } from "@gatehouse/errors";
import type {
  CreateOauthConnectionRequest,
  Endpoint as EndpointMessage,
  EndpointAuth as AuthMessage,
  EndpointDefinition as DefinitionMessage,
  OauthConnection as ConnectionMessage,
  Page as PageMessage,
} from "@gatehouse/proto/api-proxy";
import { Secret } from "@gatehouse/vault";
import type { Endpoint, EndpointAuth, EndpointSettings, ShownAuth } from "../domain/endpoint.ts";
import { type NewOauthConnection, type OauthConnection, oauthGrants } from "../domain/oauth-connection.ts";

export function toPageRequest(page: PageMessage | undefined): PageRequest {
  return page ?? {};
}

/** Methods as callers write them, upper case and each once. */
export function toMethods(methods: readonly string[]): readonly string[] {
  return [...new Set(methods.map((method) => method.toUpperCase()))];
}

/** @throws GatewayError `invalid_argument` when the message is absent. */
export function toSettings(message: DefinitionMessage | undefined): EndpointSettings {
  if (message === undefined) throw new GatewayError("invalid_argument", "Missing required argument: definition");
  const { slug, upstreamUrl, allowedMethods, timeoutMs = null, description = null } = message;
  return { slug, upstreamUrl, allowedMethods: toMethods(allowedMethods), timeoutMs, description };
}

/** @throws GatewayError `invalid_argument` for an unknown type. */
export function toAuth(message: AuthMessage | undefined): EndpointAuth {
  if (message === undefined) return { type: "none" };
  const { type, name, value, username, password, connectionId } = message;
  switch (type) {
    case "none":
      return { type };
    case "header":
      return { type, name, value: new Secret(value) };
    case "basic":
      return { type, username, password: new Secret(password) };
    case "oauth":
      return { type, connectionId };
    default:
      throw new GatewayError("invalid_argument", `Invalid auth.type: ${type}`);
  }
}

export function toEndpointMessage(endpoint: Endpoint): EndpointMessage {
  const { uuid, projectUuid, isActive, auth, createdAt, updatedAt } = endpoint;
  const { slug, upstreamUrl, allowedMethods, timeoutMs, description } = endpoint;
  const definition: DefinitionMessage = {
    slug,
    upstreamUrl,
    allowedMethods: [...allowedMethods],
    auth: toAuthMessage(auth),
    ...(timeoutMs === null ? {} : { timeoutMs }),
    ...(description === null ? {} : { description }),
  };
  return { uuid, projectUuid, isActive, definition, createdAt, updatedAt };
}

function toAuthMessage(auth: ShownAuth): AuthMessage {
  return { name: "", value: "", username: "", password: "", connectionId: 0, ...auth };
}

/** @throws GatewayError `invalid_argument` for an unknown grant. */
export function toNewConnection(request: CreateOauthConnectionRequest): NewOauthConnection {
  const { name, tokenUrl, clientId, clientSecret, refreshToken, scopes } = request;
  const grant = oauthGrants.find((known) => known === request.grant);
  if (grant === undefined) throw new GatewayError("invalid_argument", `Invalid grant: ${request.grant}`);
  return {
    name,
    tokenUrl,
    clientId,
    clientSecret: new Secret(clientSecret),
    grant,
    refreshToken: refreshToken === undefined ? undefined : new Secret(refreshToken),
    scopes,
  };
}

export function toConnectionMessage({ scopes, ...connection }: OauthConnection): ConnectionMessage {
  return { ...connection, scopes: [...scopes] };
}
