import { type ErrorCode, errorTable, type ErrorProfile } from "./error-table.ts";

/** Details for the caller beside the message; values are safe to show. */
export type ErrorDetails = Readonly<Record<string, string | number | boolean>>;

/** Fields for the caller, and the cause, which is for the log alone. */
export interface GatewayErrorOptions {
  /** Extra fields of the reply, e.g. `{ detail }` or `{ scope: "minute" }`. Never a secret. */
  readonly details?: ErrorDetails;
  /** The internal cause. Logged, never sent. */
  readonly cause?: unknown;
  /** For logs in the place of the message, where that quotes words of another server, which may quote a prompt. */
  readonly loggedMessage?: string;
  /** Whole seconds a caller should wait, at least 1. Becomes `Retry-After` and `retry_after`. */
  readonly retryAfterSeconds?: number;
}

const brand = Symbol.for("gatehouse.GatewayError");

/** The one error of the product: a code from a closed list, and a message that is safe for callers to read. */
export class GatewayError extends Error {
  readonly [brand] = true;
  readonly code: ErrorCode;
  readonly details: ErrorDetails;
  /** Safe for logs; the message where none was given. */
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

/** The refusal of something that a caller sent: `message` names it, and the form it should have. */
export function invalidArgument(message: string): GatewayError {
  return new GatewayError("invalid_argument", message);
}

/** Recognised by symbol, so that two copies of this package in one process agree. */
export function isGatewayError(err: unknown): err is GatewayError {
  return typeof err === "object" && err !== null && brand in err;
}

/** An unrecognised error is `internal`: opaque outside, with its cause kept for the log. */
export function toGatewayError(err: unknown): GatewayError {
  return isGatewayError(err) ? err : new GatewayError("internal", "Unexpected error.", { cause: err });
}
