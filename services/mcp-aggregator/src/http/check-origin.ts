import type { IncomingHttpHeaders } from "node:http";
import { GatewayError } from "@gatehouse/errors";

/**
 * Refuses pages of other sites (MCP, "Streamable HTTP", "Security Warning"). Programs send no `Origin`; a page of the gateway's own
 * address has the same host. @throws GatewayError `missing_scope` (403)
 */
export function checkOrigin({ origin, host }: IncomingHttpHeaders, allowed: ReadonlySet<string>): void {
  if (origin === undefined || allowed.has(origin)) return;
  if (URL.canParse(origin) && new URL(origin).host === host) return;
  throw new GatewayError(
    "missing_scope",
    "Requests of pages of this origin are not allowed. Ask the operator to add it to MCP_ORIGINS_ALLOWED.",
  );
}
