import { isDatabaseUnavailable } from "@gatehouse/database";
import { codeOf, GatewayError } from "@gatehouse/errors";
import { allowancesUnavailable } from "./decisions/index.ts";

/** Cancelled, deadlocked, not serialisable, read-only after a fail-over (PostgreSQL documentation, appendix A). */
const transientStates: ReadonlySet<string> = new Set(["57014", "40P01", "40001", "25006", "55P03"]);

/** Whether the same statement may succeed later without a change. */
export function isTransient(err: unknown): boolean {
  if (err instanceof GatewayError) return err.code === "unavailable";
  if (isDatabaseUnavailable(err)) return true;
  if (err instanceof Error && err.message === "Query read timeout") return true;
  return transientStates.has(codeOf(err) ?? "");
}

/** Error for the caller of a failed statement: `unavailable` where waiting helps, else the error itself. */
export function toAllowanceError(err: unknown): unknown {
  return isTransient(err) && !(err instanceof GatewayError) ? allowancesUnavailable(err) : err;
}
