import { pause } from "@gatehouse/async";
import type { Logger } from "@gatehouse/telemetry";
import type { Secret } from "@gatehouse/vault";
import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { toClientSettings } from "./database-url.ts";
import { KnownTables } from "./foreign-database.ts";
import { applyMigrations, type SharedMigration } from "./migrations.ts";
import { OpenConnections } from "./open-connections.ts";
import { requireSessions } from "./sessions.ts";
import { spaceAttempts } from "./spaced-client.ts";
import { isSilent } from "./unless-silent.ts";

/** Options of one pool of connections to Postgres; `connectionsMax` bounds the connections of this process. */
export interface DatabaseOptions {
  readonly url: Secret;
  /** The service's schema; created if absent. */
  readonly schema: string;
  readonly connectionsMax: number;
  readonly log: Logger;
}

/** Longest wait for a free connection, milliseconds; longest statement, milliseconds. */
const connectTimeoutMs = 5_000;
const statementTimeoutMs = 30_000;
/**
 * Time after which an unused connection is closed, milliseconds. Longer than a minute's rare collisions of periodic statements, so
 * that an idle process does not open a connection for each: that costs more than all its statements.
 */
const unusedMsMax = 120_000;
/**
 * Idle time after which the system probes a connection, milliseconds; its default is two hours. A connection that only listens would
 * not notice a server that has vanished, and a firewall or balancer on the way forgets one that is silent for minutes.
 */
const keepAliveAfterMs = 10_000;
/** Time after which a statement and its connection are given up, if the server has not ended it at its own timeout, milliseconds. */
const silenceTimeoutMs = 35_000;
/** Pause between probes of a process that stops, milliseconds. */
const silenceCheckMs = 500;
/** Longest silence of a server that a stop waits for, after it was found silent, milliseconds: a busy one may be late by seconds. */
const silenceAtStopMs = 3_000;

/** Postgres allows names of 63 bytes, and a change feed extends the schema's name. */
const schemaPattern = /^[a-z_][a-z0-9_]{0,49}$/;

/** A service's schema in Postgres: one pool, shared by Prisma and hand-written statements. */
export interface Database {
  readonly pool: pg.Pool;
  readonly schema: string;
}

/** Database for the owner of the pool: the service kernel, which hides Prisma clients from services. */
export interface OpenDatabase extends Database {
  /** For `new PrismaClient({ adapter })`. Closing the Prisma client leaves the pool open. */
  prismaAdapter(): PrismaPg;
  /**
   * Creates the schema if absent and applies missing migrations: those of a Prisma folder, and shared ones. From then on, sessions
   * of a server without the tables fail as unavailable.
   * @throws SharedSessionsError where a pooler shares one session between connections.
   */
  migrate(folder: URL, shared?: readonly SharedMigration[]): Promise<void>;
  /** A connection outside the pool, with the same settings; the caller ends it. */
  connectAlone(): Promise<pg.Client>;
  /**
   * Called when the process begins to stop, once or repeatedly: if the server stays silent, closes all connections, so that what
   * waits for it ends as in an outage. A server that is frozen would never answer, nor end a connection.
   */
  giveUpWhenSilent(): void;
  close(): Promise<void>;
}

/**
 * Creates the pool, which connects with the first statement. Statements are bounded to 30 s, waits for a connection to 5 s. While the
 * server is away, attempts to connect are spaced, and other calls fail at once.
 * @throws Error for an invalid name of a schema.
 */
export function openDatabase({ url, schema, connectionsMax, log }: DatabaseOptions): OpenDatabase {
  if (!schemaPattern.test(schema)) throw new Error(`"${schema}" cannot be the name of a Postgres schema.`);
  // Parsed here, since for pg the URL's values would override the following ones.
  const settings: pg.ClientConfig = {
    ...toClientSettings(url),
    connectionTimeoutMillis: connectTimeoutMs,
    // Set by a statement below, because poolers refuse or drop it as a startup option.
    statement_timeout: undefined,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfterMs,
    application_name: `gatehouse-${schema}`,
  };
  const tables = new KnownTables(schema);
  const connections = new OpenConnections();
  const begin = async (client: pg.ClientBase, timeoutMs: number) =>
    await beginSession(client, { schema, timeoutMs, tables });
  const pool = new pg.Pool({
    ...settings,
    query_timeout: silenceTimeoutMs,
    max: connectionsMax,
    idleTimeoutMillis: unusedMsMax,
    ...spaceAttempts(async (client) => await begin(client, statementTimeoutMs), tables.explain, connections),
  });
  const closed = new AbortController();
  let watching: Promise<void> | undefined;
  const watchSilence = async () => {
    for (let silentSince = Infinity; !closed.signal.aborted;) {
      silentSince = (await isSilent({ pool })) ? Math.min(silentSince, performance.now()) : Infinity;
      if (performance.now() - silentSince >= silenceAtStopMs) return connections.giveUp();
      await pause(silenceCheckMs, closed.signal);
    }
  };
  const connect = async () => {
    const client = new pg.Client(settings);
    connections.add(client);
    return await connectAlone(client, async () => await begin(client, 0), tables);
  };
  pool.on("error", (err) => {
    // Errors of an ending pool are expected.
    if (!pool.ending) log.warn({ err, schema }, "An idle database connection was lost.");
  });
  return {
    pool,
    schema,
    prismaAdapter: () => new PrismaPg(pool, { schema, disposeExternalPool: false }),
    async migrate(folder, shared = []) {
      await requireSessions(connect);
      const client = await connect();
      try {
        await applyMigrations(client, folder, shared, { schema, log });
        tables.found();
      } finally {
        await client.end().catch(() => {});
      }
    },
    connectAlone: connect,
    giveUpWhenSilent: () => void (watching ??= watchSilence()),
    async close() {
      await pool.end();
      closed.abort();
    },
  };
}

/** The server is a standby, as one of several behind an address is while they change roles. */
class StandbyError extends Error {
  override readonly name = "StandbyError";
  /** "cannot_connect_now": counts as unavailable, so the connection is retried. */
  readonly code = "57P03";

  constructor() {
    super("The database server is a standby, which takes no writes.");
  }
}

interface SessionStart {
  readonly schema: string;
  readonly timeoutMs: number;
  readonly tables: KnownTables;
}

/**
 * Prepares a session by a statement: poolers may silently drop startup options, and the service would then work in another
 * schema. UTC, because Prisma stores a timestamptz shifted in other time zones.
 * @throws StandbyError for a server that takes no writes: the connection would otherwise be kept after the roles have changed.
 * @throws ForeignDatabaseError for a server without the service's tables
 */
async function beginSession(client: pg.ClientBase, { schema, timeoutMs, tables }: SessionStart): Promise<void> {
  const settings = `SET TimeZone = 'UTC'; SET search_path = "${schema}"; SET statement_timeout = ${timeoutMs}`;
  const text = `${settings}; SELECT pg_is_in_recovery() AS is_standby, ${tables.expression} AS has_tables`;
  // Includes the wait for a session: a pooler accepts the connection at once, and delays its first statement.
  const query: pg.QueryConfig & { readonly query_timeout: number } = { text, query_timeout: connectTimeoutMs };
  // Several statements have several results in pg, contrary to its types.
  const results = (await client.query(query)) as unknown as readonly pg.QueryResult<SessionRow>[];
  const row = results.at(-1)?.rows[0];
  if (row?.is_standby === true) throw new StandbyError();
  tables.require(row?.has_tables);
}

interface SessionRow {
  readonly is_standby: boolean;
  readonly has_tables: boolean;
}

/** Opens one connection without a bound on statements, for listening and for migrations, which may take long. */
async function connectAlone(
  client: pg.Client,
  begin: () => Promise<void>,
  { explain }: KnownTables,
): Promise<pg.Client> {
  // Losing an idle connection must not end the process; its next use fails.
  client.on("error", () => {});
  const refuse = (err: unknown): never => {
    throw err instanceof Error ? explain(err) : err;
  };
  await client.connect().catch(refuse);
  try {
    await begin();
  } catch (err) {
    await client.end().catch(() => {});
    refuse(err);
  }
  return client;
}
