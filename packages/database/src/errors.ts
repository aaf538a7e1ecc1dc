import { GatewayError } from "@gatehouse/errors";
import { foreignDatabaseProblem } from "./foreign-database.ts";

/**
 * SQLSTATEs of an unavailable Postgres: unreachable, starting, stopping, full, or a standby (25006), and of a transaction that
 * lost against another and may be retried (its documentation, appendix A). An internal error (XX000) is the server's, too: a
 * session that cannot begin because the disk is full fails with it.
 */
const awayStates = /^(08...|25006|53...|57P0[1235]|58...|40001|40P01|55P03|XX000)$/;
/** Error codes of the platform and of Prisma (its reference, "Error codes") with the same meaning. */
const awayCodes: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "P1001",
  "P1002",
  "P1008",
  "P1017",
  "P2024",
  // A transaction that got no connection, or did not end, in time: too many need the same row.
  "P2028",
  "P2034",
  "P2037",
]);
/** Error kinds of Prisma's driver adapters with the same meaning. */
const awayKinds: ReadonlySet<string> = new Set([
  "ConnectionClosed",
  "DatabaseNotReachable",
  "SocketTimeout",
  "TooManyConnections",
]);
/** Failures that pg reports by their message only. */
const awayMessage =
  /timeout exceeded when trying to connect|timeout expired|Query read timeout|Connection terminated|connection error and is not queryable|Cannot use a pool after calling end|Can't reach database server/i;

/**
 * SQLSTATEs of a missing schema, table, column, type or function, of a missing unique index that an upsert names (42P10), and of a
 * missing right. The statements of a service fit its migrations, which its start has applied: their parts are missing while a
 * backup is restored into the database (`pg_restore --clean` drops them all, and makes keys last), or until its rights are back.
 */
const lackingStates = /^(3F000|42P01|42703|42704|42883|42P10|42501)$/;
/** Prisma's codes of a missing table and a missing column. */
const lackingCodes: ReadonlySet<string> = new Set(["P2021", "P2022"]);

const chainLengthMax = 5;

/**
 * Whether an error of pg or Prisma means that the database cannot be used now, rather than that it refused a statement: it is away,
 * or lacks a part of the service while it is restored.
 */
export function isDatabaseUnavailable(err: unknown): boolean {
  return isDatabaseAway(err) || isLacking(err);
}

/** Whether an error means an unreachable database. A start waits for it; what else is missing, its migrations create. */
export function isDatabaseAway(err: unknown): boolean {
  return someFault(err, saysAway);
}

function isLacking(err: unknown): boolean {
  return someFault(err, (fault) => codesOf(fault).some((code) => lackingStates.test(code) || lackingCodes.has(code)));
}

/** Whether an error, one of its causes, or the driver's error inside it is of a kind. */
function someFault(err: unknown, isOfKind: (fault: Fault | undefined) => boolean): boolean {
  for (
    let current = err, depth = 0;
    current instanceof Error && depth < chainLengthMax;
    current = current.cause, depth++
  ) {
    if (isOfKind(current) || isOfKind(adapterCauseOf(current))) return true;
  }
  return false;
}

interface Fault {
  readonly code?: unknown;
  readonly originalCode?: unknown;
  readonly kind?: unknown;
  readonly message?: unknown;
}

function saysAway(fault: Fault = {}): boolean {
  const { kind, message } = fault;
  if (codesOf(fault).some((code) => awayStates.test(code) || awayCodes.has(code))) return true;
  if (typeof kind === "string" && awayKinds.has(kind)) return true;
  return typeof message === "string" && awayMessage.test(message);
}

function codesOf({ code, originalCode }: Fault = {}): readonly string[] {
  return [code, originalCode].filter((value) => typeof value === "string");
}

interface AdapterCause extends Fault {
  readonly constraint?: { readonly index?: string; readonly fields?: readonly string[] };
}

/** The driver's error inside a Prisma error: neither an Error nor its `cause`. */
function adapterCauseOf(err: Error): AdapterCause | undefined {
  if (!("meta" in err)) return undefined;
  return (err.meta as { driverAdapterError?: { cause?: AdapterCause } } | undefined)?.driverAdapterError?.cause;
}

/**
 * SQLSTATE classes of data exceptions and of violated constraints, and the state of a value that exceeds a limit of Postgres, such as
 * that of an index (Postgres' documentation, appendix A).
 */
const refusedStates = /^(2[23]...|54000)$/;

/** Whether Postgres refused a statement because of its data, so that a repetition is refused too. */
export function isRefusedData(err: unknown): boolean {
  return someFault(err, (fault) => codesOf(fault).some((code) => refusedStates.test(code)));
}

/** Text for a database that lacks a part of the service. */
const lackingProblem =
  "The database lacks a part of this service, as while a backup is restored into it. If this lasts, run roles.sql and gatehouse migrate.";

/** Converts an unavailable or slow database to `unavailable` (503 with `Retry-After`); returns other errors unchanged. */
export function toDatabaseError(err: unknown): unknown {
  if (someFault(err, saysEnded)) return tookTooLong(err);
  if (!isDatabaseUnavailable(err)) return err;
  const detail = foreignDatabaseProblem(err) ?? (isLacking(err) ? lackingProblem : undefined);
  return new GatewayError("unavailable", "The database is not available.", {
    cause: err,
    retryAfterSeconds: 1,
    ...(detail === undefined ? {} : { details: { detail } }),
  });
}

/** Unique index of a Prisma error P2002; undefined for other errors. */
export function violatedIndex(err: unknown): string | undefined {
  if (!(err instanceof Error) || !("code" in err) || err.code !== "P2002") return undefined;
  const constraint = adapterCauseOf(err)?.constraint;
  return constraint?.index ?? constraint?.fields?.join(",");
}

/** Error handler of a write: throws `taken` for a violated unique index, and other errors unchanged. */
export function refuseTaken(taken: GatewayError): (err: unknown) => never {
  return (err) => {
    throw violatedIndex(err) === undefined ? err : taken;
  };
}

/** The part of a generated Prisma transaction that packages need. */
export interface PrismaTransaction {
  $executeRawUnsafe(sql: string, ...values: unknown[]): PromiseLike<number>;
}

/** SQLSTATE of a statement ended by its time bound or an operator. */
const endedState = "57014";

function saysEnded(fault: Fault | undefined): boolean {
  return codesOf(fault).includes(endedState);
}

/** Runs a query; its errors as {@link toDatabaseError}. */
export async function reading<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (err) {
    throw toDatabaseError(err);
  }
}

function tookTooLong(cause: unknown): GatewayError {
  const message = "The database took too long to answer. Try again later, or ask for less.";
  return new GatewayError("unavailable", message, { cause, retryAfterSeconds: 1 });
}
