import type { IncomingMessage, ServerResponse } from "node:http";
import { hasBody } from "@gatehouse/http";
import type { CrossOrigin } from "../domain/cross-origin.ts";
import type { RouteGroup } from "../domain/route-matcher.ts";

/** Sets the CORS headers of the reply, whichever handler answers. */
export function markCrossOrigin(req: IncomingMessage, res: ServerResponse, crossOrigin: CrossOrigin): void {
  const headers = crossOrigin.replyHeaders(req.headers.origin);
  for (const name in headers) res.setHeader(name, headers[name] ?? "");
}

/** Whether this is a CORS preflight of an allowed origin; it carries no token. */
export function isPreflight(req: IncomingMessage, { isAllowed }: CrossOrigin): boolean {
  if (!isAllowed(req.headers.origin)) return false;
  return req.method === "OPTIONS" && req.headers["access-control-request-method"] !== undefined && !hasBody(req);
}

/** Answers a preflight; the request itself must pass every guard of its route. */
export function answerPreflight(
  req: IncomingMessage,
  res: ServerResponse,
  { group, crossOrigin }: { readonly group: RouteGroup; readonly crossOrigin: CrossOrigin },
): void {
  const { "access-control-request-headers": requestHeaders, "access-control-request-private-network": network } =
    req.headers;
  const asksForPrivateNetwork = network === "true";
  res.writeHead(204, crossOrigin.preflightHeaders(group, { requestHeaders, asksForPrivateNetwork })).end();
}
