import type { IncomingMessage, ServerResponse } from "node:http";
import { hasBody } from "@gatehouse/http";
import type { CrossOrigin } from "../domain/cross-origin.ts";
import type { RouteGroup } from "../domain/route-matcher.ts";

/** Names in the reply the page that may read it, whatever is to answer. */
export function markCrossOrigin(req: IncomingMessage, res: ServerResponse, crossOrigin: CrossOrigin): void {
  const headers = crossOrigin.replyHeaders(req.headers.origin);
  for (const name in headers) res.setHeader(name, headers[name] ?? "");
}

/** Whether this is the question of a browser, which carries no token, for the page of an allowed origin. */
export function isPreflight(req: IncomingMessage, { isAllowed }: CrossOrigin): boolean {
  if (!isAllowed(req.headers.origin)) return false;
  return req.method === "OPTIONS" && req.headers["access-control-request-method"] !== undefined && !hasBody(req);
}

/** Answers a preflight; the request itself has to pass every guard of its route. */
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
