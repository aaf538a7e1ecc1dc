import { decodeErrorWire, encodeErrorWire, type GatewayError, isGatewayError } from "@gatehouse/errors";

/** The error that the caller of an aborted call has sent instead of its reply; undefined where its client has left. */
export function endOfCall(reason: Error): GatewayError | undefined {
  return isGatewayError(reason) && reason.code !== "cancelled" ? reason : undefined;
}

/** Head of a frame that ends a call; empty without an error. */
export function toEndHead(end: GatewayError | undefined): string {
  return end === undefined ? "" : Buffer.from(encodeErrorWire(end)).toString();
}

/** Inverse of {@link toEndHead}. */
export function fromEndHead(head: string): GatewayError | undefined {
  return head === "" ? undefined : decodeErrorWire(Buffer.from(head));
}
