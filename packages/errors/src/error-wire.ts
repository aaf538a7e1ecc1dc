import { type ErrorCode, isErrorCode } from "./error-table.ts";
import { type ErrorDetails, GatewayError } from "./gateway-error.ts";

interface ErrorWire {
  readonly code: ErrorCode;
  readonly message: string;
  readonly loggedMessage?: string;
  readonly details?: ErrorDetails;
  readonly retryAfterSeconds?: number;
}

/** Encodes an error for gRPC trailers, as UTF-8 JSON. The cause is left out: it is in the sender's log. */
export function encodeErrorWire(err: GatewayError): Uint8Array {
  const wire: ErrorWire = {
    code: err.code,
    message: err.message,
    details: err.details,
    ...(err.loggedMessage === err.message ? {} : { loggedMessage: err.loggedMessage }),
    ...(err.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: err.retryAfterSeconds }),
  };
  return Buffer.from(JSON.stringify(wire));
}

/** Undefined for bytes that are not an error of this product, or have a code of a newer version. */
export function decodeErrorWire(bytes: Uint8Array, cause?: unknown): GatewayError | undefined {
  let wire: unknown;
  try {
    wire = JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch (err) {
    if (err instanceof SyntaxError) return undefined;
    throw err;
  }
  return isErrorWire(wire) ? new GatewayError(wire.code, wire.message, { ...wire, cause }) : undefined;
}

function isErrorWire(value: unknown): value is ErrorWire {
  if (typeof value !== "object" || value === null) return false;
  const { code, message, loggedMessage } = value as Partial<Record<keyof ErrorWire, unknown>>;
  if (loggedMessage !== undefined && typeof loggedMessage !== "string") return false;
  return typeof code === "string" && isErrorCode(code) && typeof message === "string";
}
