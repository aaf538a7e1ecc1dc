import type { Operation } from "@gatehouse/admin";
import type { AdminContext } from "./admin-context.ts";

/** An operation that the Control Plane runs itself. */
export interface OwnOperation extends Operation<AdminContext> {
  /** Whether the result holds nothing but what the caller may see, without a project being named. */
  readonly keepsToCaller?: true;
}

/** Lets administrators of named projects call an operation without naming one: its answer is limited to the caller's. */
export function keepingToCaller(operation: Operation<AdminContext>): OwnOperation {
  return { ...operation, keepsToCaller: true };
}
