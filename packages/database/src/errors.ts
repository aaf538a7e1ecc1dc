import { GatewayError } from "@gatehouse/errors";

/** SQLSTATE classes and codes that say that Postgres is away, starting, stopping or full (its documentation, appendix A). */
const unavailableStates = /^(08...|53...|57P0[123]|58...)$/;
const unavailableSystemCodes: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "P1001",
  "P1002",
  "P1008",
  "P1017",
  "P2024",
]);
const unavailableMessage = /timeout exceeded when trying to connect|Connection terminated|Can't reach database server/i;

/** Whether an error from pg or Prisma says that the database cannot be reached, as opposed to having refused a statement. */
export function isDatabaseUnavailable(err: unknown): boolean {
  for (let current = err, depth = 0; current instanceof Error && depth < 5; current = current.cause, depth++) {
    const code = "code" in current && typeof current.code === "string" ? current.code : "";
    if (unavailableStates.test(code) || unavailableSystemCodes.has(code)) return true;
    if (unavailableMessage.test(current.message)) return true;
  }
  return false;
}

/** An unreachable database becomes `unavailable` (503 with `Retry-After`); everything else stays as it is. */
export function toDatabaseError(err: unknown): unknown {
  if (!isDatabaseUnavailable(err)) return err;
  return new GatewayError("unavailable", "The database is not available.", { cause: err, retryAfterSeconds: 1 });
}

/** The name of the unique index that a Prisma error P2002 reports; undefined for other errors. */
export function violatedIndex(err: unknown): string | undefined {
  if (!(err instanceof Error) || !("code" in err) || err.code !== "P2002" || !("meta" in err)) return undefined;
  const meta = err.meta as { driverAdapterError?: { cause?: { constraint?: { index?: string; fields?: string[] } } } };
  const constraint = meta.driverAdapterError?.cause?.constraint;
  return constraint?.index ?? constraint?.fields?.join(",");
}
