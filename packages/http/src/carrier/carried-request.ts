import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { WholeRequest } from "../whole-request.ts";

/** Never connected, so that a carried request cannot end the shared connection. */
const nowhere = new Socket();

/** A request that arrived whole, on a shared connection. */
export class CarriedRequest extends WholeRequest {
  // oxlint-disable-next-line max-params -- made by `CarriedConnection` alone, once for each request.
  constructor(method: string, url: string, headers: IncomingHttpHeaders, body: Buffer) {
    super(nowhere, { method, url, headers, body });
  }
}

/** Whether a request shares its connection, whose caller was authenticated when it was opened. */
export function isCarried(req: IncomingMessage): req is CarriedRequest {
  return req instanceof CarriedRequest;
}
