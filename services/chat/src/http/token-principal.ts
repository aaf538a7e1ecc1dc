import { GatewayError } from "@gatehouse/errors";
import type { RequestContext, TokenPrincipal } from "@gatehouse/principal";

/** Who calls a data-plane route. The router lets no other caller through. @throws GatewayError `invalid_token`. */
export function tokenPrincipal({ principal }: RequestContext): TokenPrincipal {
  if (principal.kind === "token") return principal;
  throw new GatewayError("invalid_token", "Invalid or revoked token.");
}
