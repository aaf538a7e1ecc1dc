/** The code of a failure of the system or of a library, such as `ENOENT` or `23505`; undefined where it has none. */
export function codeOf(err: unknown): string | undefined {
  return err instanceof Error && "code" in err && typeof err.code === "string" ? err.code : undefined;
}

/** Whether a failure has this code. */
export function hasCode(err: unknown, code: string): boolean {
  return codeOf(err) === code;
}
