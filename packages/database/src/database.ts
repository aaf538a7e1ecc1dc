import type { Logger } from "@gatehouse/telemetry";
import type { Secret } from "@gatehouse/vault";
import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { toClientSettings } from "./database-url.ts";
import { applyMigrations, type SharedMigration } from "./migrations.ts";
import { requireSessions } from "./sessions.ts";

/** Address, schema and size of one pool. */
export interface DatabaseOptions {
  readonly url: Secret;
  /** The Postgres schema that the service owns; made if absent. */
  readonly schema: string;
  readonly connectionsMax: number;
  readonly log: Logger;
}

/** Longest wait for a free connection, and longest statement, milliseconds. */
const connectTimeoutMs = 5_000;
const statementTimeoutMs = 30_000;
/** Milliseconds after which a statement and its connection are given up, if the server has not ended it at its own timeout. */
const silenceTimeoutMs = 35_000;

/** Names of Postgres have at most 63 bytes, and a change feed adds a word to the schema's. */
const schemaPattern = /^[a-z_][a-z0-9_]{0,49}$/;

/** A service's own corner of Postgres: one pool, used by Prisma and by hand-written statements alike. */
export interface Database {
  readonly pool: pg.Pool;
  readonly schema: string;
}

/** Database for the owner of the pool: the service kernel, which keeps Prisma clients out of the services' reach. */
export interface OpenDatabase extends Database {
  /** For `new PrismaClient({ adapter })`. Closing the Prisma client leaves the pool open. */
  prismaAdapter(): PrismaPg;
  /**
   * Makes the schema if absent and applies the migrations that are not applied yet: those of a Prisma folder, and shared ones.
   * @throws SharedSessionsError where a pooler lends one session to several connections.
   */
  migrate(folder: URL, shared?: readonly SharedMigration[]): Promise<void>;
  /** A connection outside the pool, with the same settings; the caller ends it. */
  connectAlone(): Promise<pg.Client>;
  close(): Promise<void>;
}

/**
 * Makes the pool; connects with the first statement. A statement ends after 30 s, a wait for a connection after 5 s.
 * @throws Error where Postgres allows no schema of that name.
 */
export function openDatabase({ url, schema, connectionsMax, log }: DatabaseOptions): OpenDatabase {
  if (!schemaPattern.test(schema)) throw new Error(`"${schema}" cannot be the name of a Postgres schema.`);
  // Taken apart here, since pg would let what the URL says win over what follows.
  const settings: pg.ClientConfig = {
    ...toClientSettings(url),
    connectionTimeoutMillis: connectTimeoutMs,
    // Set by a statement below: a pooler refuses or drops it among the options of the start.
    statement_timeout: undefined,
    keepAlive: true,
    application_name: `gatehouse-${schema}`,
  };
  // The pool waits for its promise before it lends the connection, which the pool's types do not say.
  const prepare = (client: pg.ClientBase): unknown => beginSession(client, schema, statementTimeoutMs);
  const pool = new pg.Pool({
    ...settings,
    query_timeout: silenceTimeoutMs,
    max: connectionsMax,
    onConnect: prepare,
  });
  pool.on("error", (err) => {
    // A pool that is ending says so before its connections have; a server that stops meanwhile is no news.
    if (!pool.ending) log.warn({ err, schema }, "An idle database connection was lost.");
  });
  return {
    pool,
    schema,
    prismaAdapter: () => new PrismaPg(pool, { schema, disposeExternalPool: false }),
    async migrate(folder, shared = []) {
      await requireSessions(async () => await connectAlone(settings, schema));
      const client = await connectAlone(settings, schema);
      try {
        await applyMigrations(client, folder, shared, { schema, log });
      } finally {
        await client.end().catch(() => {});
      }
    },
    connectAlone: async () => await connectAlone(settings, schema),
    close: async () => await pool.end(),
  };
}

/** The address leads to a server that only follows another one: an address of several servers does so while they change roles. */
class StandbyError extends Error {
  override readonly name = "StandbyError";
  /** "cannot_connect_now": by it the server counts as away, and is asked again. */
  readonly code = "57P03";

  constructor() {
    super("The database server is a standby, which takes no writes.");
  }
}

/**
 * Makes a session the service's. Options of the start would do the same, but poolers drop them silently where they are configured to
 * ignore them, and the service would then work in another schema. Prisma stores a timestamptz shifted when the time zone is not UTC.
 * @throws StandbyError for a server that takes no writes: a connection to it would stay one after the roles have changed.
 */
async function beginSession(client: pg.ClientBase, schema: string, timeoutMs: number): Promise<void> {
  const settings = `SET TimeZone = 'UTC'; SET search_path = "${schema}"; SET statement_timeout = ${timeoutMs}`;
  const text = `${settings}; SELECT pg_is_in_recovery() AS is_standby`;
  // The wait for a connection ends here: a pooler takes one at once, and lets its first statement wait for a session.
  const query: pg.QueryConfig & { readonly query_timeout: number } = { text, query_timeout: connectTimeoutMs };
  // Several statements have several results in pg, which its types do not say.
  const results = (await client.query(query)) as unknown as readonly pg.QueryResult<{ readonly is_standby: boolean }>[];
  if (results.at(-1)?.rows[0]?.is_standby === true) throw new StandbyError();
}

/** Opens one connection without a bound on statements, for listening and for migrations, which may take long. */
async function connectAlone(settings: pg.ClientConfig, schema: string): Promise<pg.Client> {
  const client = new pg.Client(settings);
  // A connection that is lost while idle must not end the process; its next use fails.
  client.on("error", () => {});
  await client.connect();
  try {
    await beginSession(client, schema, 0);
  } catch (err) {
    await client.end().catch(() => {});
    throw err;
  }
  return client;
}
