import type { OutgoingHttpHeaders } from "node:http";
import { windowHeaders } from "@gatehouse/limits";
import type { Received } from "../app/call.ts";

/** Headers of every reply to a call: its id, and its tightest rate limit window. */
export function callHeaders({
  requestId,
  tightestWindow,
}: Pick<Received, "requestId" | "tightestWindow">): OutgoingHttpHeaders {
  return { "x-request-id": requestId, ...windowHeaders(tightestWindow) };
}
