import { type ErrorCode, errorTable, type ErrorProfile } from "./error-table.ts";

/** Further details for the caller; safe to show. */
export type ErrorDetails = Readonly<Record<string, string | number | boolean>>;

/** Optional parts of a {@link GatewayError}: fields and delay for the caller, cause and message for the log. */
export interface GatewayErrorOptions {
  /** Extra fields of the reply, e.g. `{ detail }` or `{ scope: "minute" }`. Never a secret. */
  readonly details?: ErrorDetails;
  /** Internal cause. Logged, never sent. */
  readonly cause?: unknown;
  /** Replaces the message in logs, where it quotes another server, which may quote a prompt. */
  readonly loggedMessage?: string;
  /** Whole seconds that the caller should wait, at least 1. Becomes `Retry-After` and `retry_after`. */
  readonly retryAfterSeconds?: number;
}

const brand = Symbol.for("gatehouse.GatewayError");

/** The product's only error class: a code from a closed list, and a message that is safe for callers. */
export class GatewayError extends Error {
  readonly [brand] = true;
  readonly code: ErrorCode;
  readonly details: ErrorDetails;
  /** Safe for logs; the message by default. */
  readonly loggedMessage: string;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, options: GatewayErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "GatewayError";
    this.code = code;
    this.details = options.details ?? {};
    this.loggedMessage = options.loggedMessage ?? message;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get profile(): ErrorProfile {
    return errorTable[this.code];
  }
}

/** Refusal of a caller's argument: `message` names it and the required form. */
export function invalidArgument(message: string, options?: GatewayErrorOptions): GatewayError {
  return new GatewayError("invalid_argument", message, options);
}

/** An error that no caller can act on: opaque outside, with its cause for the log. */
export function internalError(cause: unknown): GatewayError {
  return new GatewayError("internal", "Unexpected error.", { cause });
}

/** The end of a call that its caller gave up. */
export function callCancelled(cause?: unknown): GatewayError {
  return new GatewayError("cancelled", "The call was cancelled.", { cause });
}

/** The end of a call whose client closed its connection before the reply was complete. */
export function clientGone(cause?: unknown): GatewayError {
  return new GatewayError("cancelled", "The client closed the connection before the reply was complete.", { cause });
}

/**
 * The end of a call whose reply had begun and cannot go on: its client, which has not left, sees the connection end.
 * @param failure what broke it off, whose code it keeps
 */
export function replyBrokenOff({ code, details, cause }: GatewayError): GatewayError {
  return new GatewayError(code, "The reply ended before it was complete.", { details, cause });
}

/** A service of the product that cannot be reached, or does not answer. Callers may try again after a second. */
export function serviceUnavailable(cause?: unknown): GatewayError {
  return new GatewayError("unavailable", "A service of the gateway is not available.", { cause, retryAfterSeconds: 1 });
}

/** Refusal of an unknown path, or of one hidden from this caller. */
export function nothingAtPath(): GatewayError {
  return new GatewayError("route_not_found", "There is nothing at this path.");
}

/** The refusal of a request's body above a bound. @param setting the variable by which an operator raises the bound */
export function bodyTooLarge(sizeBytesMax: number, setting: string): GatewayError {
  return new GatewayError("body_too_large", `Request body is larger than ${sizeBytesMax} bytes.`, {
    details: { detail: `Send a smaller body, or ask the operator to raise ${setting}.` },
  });
}

/** Recognised by symbol, so that two copies of this package in one process agree. */
export function isGatewayError(err: unknown): err is GatewayError {
  return typeof err === "object" && err !== null && brand in err;
}

/** Converts an unrecognised error to `internal`: opaque outside, with its cause kept for the log. */
export function toGatewayError(err: unknown): GatewayError {
  return isGatewayError(err) ? err : internalError(err);
}
