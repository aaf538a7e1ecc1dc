import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { GatewayError } from "@gatehouse/errors";
import { sendError } from "@gatehouse/http";

/** Answers for a request that goes no further; a 401 names its scheme (RFC 9110, section 11.6.1). */
export function refuse(res: ServerResponse, err: GatewayError, headers: OutgoingHttpHeaders = {}): void {
  sendError(res, err, err.profile.http === 401 ? { "www-authenticate": "Bearer", ...headers } : headers);
}
