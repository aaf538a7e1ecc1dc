import { codeOf } from "@gatehouse/errors";

/**
 * The server that answers is not the service's: the tables that the process has found at its start are gone, or Postgres refuses
 * the role or the database. It counts as unavailable, so that calls go on as in an outage, and end it with the right server.
 */
class ForeignDatabaseError extends Error {
  override readonly name = "ForeignDatabaseError";
  /** "cannot_connect_now": counts as unavailable, so the connection is retried. */
  readonly code = "57P03";

  constructor(problem: string, options?: ErrorOptions) {
    super(`The server at DATABASE_URL ${problem}. ${remedy}`, options);
  }
}

const remedy = "Bring the service's own database back; nothing is created in this one unless the service is restarted.";

/** SQLSTATEs of a server that lacks the role (class 28), the database or the role's rights. */
const refusedStates = /^(28...|3D000|42501)$/;

/** The error of a connection whose server is not the service's; another one unchanged. */
function toForeign(err: Error): Error {
  const code = codeOf(err) ?? "";
  if (!refusedStates.test(code)) return err;
  return new ForeignDatabaseError(`refuses the role or the database (${code})`, { cause: err });
}

/**
 * Checks new sessions of a process that has found its tables once: Postgres may be replaced by an empty or another server, behind
 * the same address. Before that, errors are unchanged, since a service that starts creates the tables.
 */
export class KnownTables {
  readonly #schema: string;
  #areKnown = false;

  constructor(schema: string) {
    this.#schema = schema;
  }

  /** The tables are there now. */
  found(): void {
    this.#areKnown = true;
  }

  /** SQL for whether they are there, in a session. */
  get expression(): string {
    return this.#areKnown ? `to_regclass('"${this.#schema}"._prisma_migrations') IS NOT NULL` : "true";
  }

  /** @throws ForeignDatabaseError where the expression was false */
  require(areThere: boolean | undefined): void {
    if (areThere === false) throw new ForeignDatabaseError(`has no tables of this service (schema ${this.#schema})`);
  }

  /** The failure of an attempt to connect. */
  readonly explain = (err: Error): Error => (this.#areKnown ? toForeign(err) : err);
}

const causesMax = 5;

/** The text of a {@link ForeignDatabaseError}; Prisma keeps the message alone, as the last line of a longer one. */
const text = /^The server at DATABASE_URL .+$/m;

/** The problem, where a failure or one of its causes is a {@link ForeignDatabaseError}; undefined for others. */
export function foreignDatabaseProblem(err: unknown): string | undefined {
  for (let current = err, depth = 0; current instanceof Error && depth < causesMax; current = current.cause, depth++) {
    const [found] = text.exec(current.message) ?? [];
    if (found !== undefined) return found;
  }
  return undefined;
}
