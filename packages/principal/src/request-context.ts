import type { IncomingMessage, ServerResponse } from "node:http";
import { internalError } from "@gatehouse/errors";
import type { Span } from "@gatehouse/telemetry";
import type { Principal, TokenPrincipal } from "./principal.ts";
import type { RouterFacts } from "./router-facts.ts";

/** The client's, as far as the router knows it. */
export type Protocol = "http" | "https";

/** The router's knowledge of a request when it hands it to a service. */
export interface RequestContext {
  readonly requestId: string;
  readonly principal: Principal;
  /** The caller's address: of the connection, or as a trusted proxy tells it. */
  readonly ipAddress: string;
  /** Protocol by which the client reached the first proxy that is trusted, else the gateway; absent: `http`. */
  readonly protocol?: Protocol | undefined;
  /** The host that the client called, from its `Host` header; absent where it named none. */
  readonly host?: string | undefined;
  /** The router's span (in process) or this service's own (behind its HTTP server). */
  readonly span: Span;
  /** The person behind the call, as the application names them; see `userOfRequest`. */
  readonly user?: string | undefined;
  /** The router that let the request in, for the Control Plane alone. */
  readonly router?: RouterFacts | undefined;
}

/**
 * A service's HTTP handler for requests that the router has authenticated. It answers every request, errors included, and
 * sends `X-Request-Id` with the answer. A rejection is a defect: the caller destroys the connection.
 */
export type ServiceHandler = (req: IncomingMessage, res: ServerResponse, context: RequestContext) => Promise<void>;

/** Headers between the router and a service. The router drops them from what a client sends. */
export const internalHeaders = {
  principal: "x-gatehouse-principal",
  requestId: "x-gatehouse-request-id",
  ipAddress: "x-gatehouse-ip-address",
  host: "x-gatehouse-host",
  protocol: "x-gatehouse-protocol",
  router: "x-gatehouse-router",
} as const;

/** The caller of a project's route. @throws GatewayError `internal`, a defect: the router lets no other principal through to it. */
export function tokenPrincipal({ principal }: Pick<RequestContext, "principal">): TokenPrincipal {
  if (principal.kind === "token") return principal;
  const cause = new Error("The router let an administrator through to a project's route.");
  throw internalError(cause);
}
