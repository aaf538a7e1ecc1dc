import type { OutgoingHttpHeaders } from "node:http";
import { windowHeaders } from "@gatehouse/limits";
import type { Received } from "../app/call.ts";

/** The headers of every reply to a call: its id, and the tightest window of its rate limits where it has any. */
export function callHeaders({
  requestId,
  tightestWindow,
}: Pick<Received, "requestId" | "tightestWindow">): OutgoingHttpHeaders {
  return { "x-request-id": requestId, ...windowHeaders(tightestWindow) };
}
