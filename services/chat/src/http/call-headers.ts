import type { OutgoingHttpHeaders } from "node:http";
import type { Received } from "../app/call.ts";

/** The headers of every reply to a call: its id, and the tightest window of its rate limits where it has any. */
export function callHeaders({
  requestId,
  tightestWindow,
}: Pick<Received, "requestId" | "tightestWindow">): OutgoingHttpHeaders {
  if (tightestWindow === undefined) return { "x-request-id": requestId };
  const { limit, remaining, resetAtSeconds } = tightestWindow;
  return {
    "x-request-id": requestId,
    "x-ratelimit-limit": String(limit),
    "x-ratelimit-remaining": String(remaining),
    "x-ratelimit-reset": String(resetAtSeconds),
  };
}
