/** The code of an error, or of what caused it: of Postgres (`42501`), Prisma (`P2010`) or the system (`ECONNREFUSED`). */
export function codeOf(err: unknown): string | undefined {
  if (!(err instanceof Error)) return undefined;
  if ("code" in err && typeof err.code === "string" && /^[A-Z0-9]{5,}$/.test(err.code)) return err.code;
  return codeOf(err.cause);
}
