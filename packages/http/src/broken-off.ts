import { GatewayError } from "@gatehouse/errors";

/** The end of a call whose client closed its connection before the reply. */
export function clientGone(cause?: unknown): GatewayError {
  return new GatewayError("cancelled", "The client went away.", { cause });
}

/** The end of a call whose reply had begun and cannot go on: its client sees the connection end. */
export function replyBrokenOff(cause: unknown): GatewayError {
  return new GatewayError("cancelled", "The reply was broken off.", { cause });
}
