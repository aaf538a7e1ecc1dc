/** SQLSTATE classes that say that a row is at fault: data exceptions and violated constraints (PostgreSQL documentation, appendix A). */
const refusalClasses: readonly string[] = ["22", "23"];

/** Whether Postgres refuses what it was given, so that waiting does not mend it. */
export function isRefusal(err: unknown): boolean {
  return refusalClasses.includes(stateOf(err).slice(0, 2));
}

/** A row that fits no partition is reported as a violated check, without the name of one. */
export function lacksPartition(err: unknown): boolean {
  return stateOf(err) === "23514" && err instanceof Error && !("constraint" in err && err.constraint !== undefined);
}

function stateOf(err: unknown): string {
  return err instanceof Error && "code" in err && typeof err.code === "string" ? err.code : "";
}
