import type { IncomingMessage, ServerResponse } from "node:http";
import { internalError } from "@gatehouse/errors";
import type { Span } from "@gatehouse/telemetry";
import type { Principal, TokenPrincipal } from "./principal.ts";
import type { RouterFacts } from "./router-facts.ts";

/** Protocol of the client, as far as the router knows it. */
export type Protocol = "http" | "https";

/** The router's data about a request, passed to a service. */
export interface RequestContext {
  readonly requestId: string;
  readonly principal: Principal;
  /** The caller's address: of the connection, or as reported by a trusted proxy. */
  readonly ipAddress: string;
  /** Protocol between the client and the first trusted proxy, else the gateway; absent: `http`. */
  readonly protocol?: Protocol | undefined;
  /** Host that the client called, from its `Host` header; absent where it sent none. */
  readonly host?: string | undefined;
  /** The router's span (in process) or this service's own (behind its HTTP server). */
  readonly span: Span;
  /** User named by the application; see `userOfRequest`. */
  readonly user?: string | undefined;
  /** The router that admitted the request, for the Control Plane alone. */
  readonly router?: RouterFacts | undefined;
  /** Called where the reply has ended before any of the request was sent to the service, which then records nothing of it. */
  readonly onUnsent?: (() => void) | undefined;
}

/**
 * A service's HTTP handler for requests that the router has authenticated. It answers every request, errors included, with
 * `X-Request-Id`. A rejection is a defect: the caller destroys the connection.
 */
export type ServiceHandler = (req: IncomingMessage, res: ServerResponse, context: RequestContext) => Promise<void>;

/** Headers between the router and a service. The router removes them from clients' requests. */
export const internalHeaders = {
  principal: "x-gatehouse-principal",
  requestId: "x-gatehouse-request-id",
  ipAddress: "x-gatehouse-ip-address",
  host: "x-gatehouse-host",
  protocol: "x-gatehouse-protocol",
  router: "x-gatehouse-router",
} as const;

/** The caller of a project's route. @throws GatewayError `internal` for another kind of principal, a defect of the router. */
export function tokenPrincipal({ principal }: Pick<RequestContext, "principal">): TokenPrincipal {
  if (principal.kind === "token") return principal;
  const cause = new Error("The router let an administrator through to a project's route.");
  throw internalError(cause);
}
