import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import type { GatewayError } from "@gatehouse/errors";
import { sendJson } from "@gatehouse/http";
import type { Protocol } from "@gatehouse/principal";
import type { Request, RequestHandler } from "express";
import type { ClientOf } from "../domain/client.ts";
import type { TrustedIssuer, TrustedIssuers } from "../domain/trusted-issuers.ts";
import { senderAddressOf } from "./request-state.ts";

/** Host with an optional port, as in a URL. */
const hostForm = /^[\w.:[\]-]{1,255}$/;

/** Public origin of the gateway: the operator's `publicUrl`, else by the Host header; undefined without a valid one. */
function originFor(
  { headers }: IncomingMessage,
  protocol: Protocol,
  publicUrl: string | undefined,
): string | undefined {
  if (publicUrl !== undefined) return publicUrl;
  return headers.host !== undefined && hostForm.test(headers.host) ? `${protocol}://${headers.host}` : undefined;
}

/** Whether the project in a path trusts an issuer, and so has resource metadata. */
export function createResourcePresence(issuers: Pick<TrustedIssuers, "forMcp">): (req: Request) => boolean {
  return ({ params }) => issuers.forMcp(String(params["uuid"])).length > 0;
}

/** Handler of the resource metadata of a project's MCP route (RFC 9728, section 3), for MCP clients without a token. */
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
    // Public data, also for clients in browsers of any origin.
    sendJson(res, { status: 200, body, headers: { "access-control-allow-origin": "*" } });
  };
}

/** Protected resource metadata of a project's MCP route (RFC 9728, section 2). */
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
  readonly publicUrl: string | undefined;
}

/**
 * `WWW-Authenticate` of a 401 on the MCP route: locates the resource metadata (RFC 9728, section 5.1). Empty where the project
 * trusts no issuer.
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
  // Offered only if an issuer of the project can grant it.
  const scope = trusted.some(({ scopes }) => scopes.includes("mcp")) ? ', scope="mcp"' : "";
  return { "www-authenticate": `Bearer ${metadata}${scope}${problem}` };
}
