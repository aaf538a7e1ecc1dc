import { isRefusedData, toDatabaseError } from "@gatehouse/database";
import { GatewayError } from "@gatehouse/errors";
import { allowancesUnavailable } from "./decisions/index.ts";

/** Whether the same statement may succeed later. */
export function isTransient(err: unknown): boolean {
  if (err instanceof GatewayError) return err.code === "unavailable";
  return toDatabaseError(err) !== err;
}

/** Exceptions of code that cannot handle a row; a failed connection has none of these classes. */
const codeFailures = [TypeError, RangeError, SyntaxError] as const;

/**
 * Whether a row is the reason why it cannot be stored: Postgres refused its data, or our own code failed on it. Any other error
 * says nothing about the row, for example that a table or a right is missing, or that a certificate has expired.
 */
export function isRefusedRow(err: unknown): boolean {
  return isRefusedData(err) || codeFailures.some((failure) => err instanceof failure);
}

/** Error for the caller of a failed statement: `unavailable` for a transient failure, else the error itself. */
export function toAllowanceError(err: unknown): unknown {
  return isTransient(err) && !(err instanceof GatewayError) ? allowancesUnavailable(err) : err;
}
