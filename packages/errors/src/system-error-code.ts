/** Code of an error of the system or a library, such as `ENOENT` or `23505`; undefined where it has none. */
export function codeOf(err: unknown): string | undefined {
  return err instanceof Error && "code" in err && typeof err.code === "string" ? err.code : undefined;
}

/** Whether a failure is an Error with the given code, such as `ENOENT` or Postgres' `23505`; false for any other value. */
export function hasCode(err: unknown, code: string): boolean {
  return codeOf(err) === code;
}
