import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import type { GatewayError } from "@gatehouse/errors";
import { sendJson } from "@gatehouse/http";
import type { Protocol } from "@gatehouse/principal";
import type { Request, RequestHandler } from "express";
import type { ClientOf } from "../domain/client.ts";
import type { TrustedIssuer, TrustedIssuers } from "../domain/trusted-issuers.ts";
import { senderAddressOf } from "./request-state.ts";

/** A host with a port, as an URL has it. */
const hostForm = /^[\w.:[\]-]{1,255}$/;

/** Origin at which clients reach the gateway: the operator's `publicUrl`, else that of the Host header; undefined without a usable one. */
function originFor(
  { headers }: IncomingMessage,
  protocol: Protocol,
  publicUrl: string | undefined,
): string | undefined {
  if (publicUrl !== undefined) return publicUrl;
  return headers.host !== undefined && hostForm.test(headers.host) ? `${protocol}://${headers.host}` : undefined;
}

/** Whether the project in a path trusts an issuer; without one it has no resource metadata. */
export function createResourcePresence(issuers: Pick<TrustedIssuers, "forMcp">): (req: Request) => boolean {
  return ({ params }) => issuers.forMcp(String(params["uuid"])).length > 0;
}

/** Answers where a client gets tokens for the MCP route of a project. */
export function createResourcePage(
  issuers: Pick<TrustedIssuers, "forMcp">,
  clientOf: ClientOf,
  publicUrl: string | undefined,
): RequestHandler {
  return (req, res) => {
    const projectUuid = String(req.params["uuid"]);
    const trusted = issuers.forMcp(projectUuid);
    const origin = originFor(req, clientOf(senderAddressOf(req)).protocol, publicUrl);
    const body = toResourceMetadata(origin, projectUuid, trusted);
    // It is for clients in browsers too, of whatever site, and holds nothing that is not public.
    sendJson(res, { status: 200, body, headers: { "access-control-allow-origin": "*" } });
  };
}

/** Metadata that a client needs to get a token for the MCP route of a project (RFC 9728, section 2). */
function toResourceMetadata(origin: string | undefined, projectUuid: string, issuers: readonly TrustedIssuer[]) {
  return {
    resource: `${origin ?? ""}/api/${projectUuid}/mcp`,
    authorization_servers: issuers.map(({ issuer }) => issuer),
    scopes_supported: [...new Set(issuers.flatMap(({ scopes }) => scopes))],
    bearer_methods_supported: ["header"],
  };
}

interface Challenged {
  readonly err: GatewayError;
  readonly path: string;
  readonly projectUuid: string;
  readonly protocol: Protocol;
  /** URL at which clients reach the gateway, if the operator has set it. */
  readonly publicUrl: string | undefined;
}

/**
 * The header of a 401 on the MCP route of a project that trusts issuers: it says where a client learns how to sign a person in (RFC
 * 9728, section 5.1). Nothing where the project trusts none.
 */
export function challenge(
  req: IncomingMessage,
  { err, path, projectUuid, protocol, publicUrl }: Challenged,
  issuers: Pick<TrustedIssuers, "forMcp">,
): OutgoingHttpHeaders {
  if (err.profile.http !== 401 || path !== "/api/{uuid}/mcp") return {};
  const trusted = issuers.forMcp(projectUuid);
  if (trusted.length === 0) return {};
  const origin = originFor(req, protocol, publicUrl);
  if (origin === undefined) return {};
  const metadata = `resource_metadata="${origin}/.well-known/oauth-protected-resource/api/${projectUuid}/mcp"`;
  const problem = err.code === "missing_token" ? "" : ', error="invalid_token"';
  // Clients must not ask for a scope that no issuer of the project can give.
  const scope = trusted.some(({ scopes }) => scopes.includes("mcp")) ? ', scope="mcp"' : "";
  return { "www-authenticate": `Bearer ${metadata}${scope}${problem}` };
}
