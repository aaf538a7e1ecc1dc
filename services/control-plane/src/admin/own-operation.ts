import type { Operation } from "@gatehouse/admin";
import type { AdminContext } from "./admin-context.ts";

/** Operation that runs in this service; those of the other owners are called over gRPC. */
export interface OwnOperation extends Operation<AdminContext> {
  /** Whether the result is limited to what the caller may see, even if no project is named. */
  readonly keepsToCaller?: true;
  /** False where a call succeeds while the database is silent. */
  readonly needsDatabase?: false;
}

/** Permits administrators of named projects to call an operation without naming a project; its result is limited to theirs. */
export function keepingToCaller(operation: Operation<AdminContext>): OwnOperation {
  return { ...operation, keepsToCaller: true };
}
