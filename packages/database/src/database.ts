import type { Logger } from "@gatehouse/telemetry";
import type { Secret } from "@gatehouse/vault";
import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { applyMigrations } from "./migrations.ts";

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

const schemaPattern = /^[a-z_][a-z0-9_]{0,62}$/;

/** A service's own corner of Postgres: one pool, used by Prisma and by hand-written statements alike. */
export interface Database {
  readonly pool: pg.Pool;
  readonly schema: string;
  /** For `new PrismaClient({ adapter })`. Closing the Prisma client leaves the pool open. */
  prismaAdapter(): PrismaPg;
  /** Makes the schema if absent and applies the migrations of a Prisma migrations folder that are not applied yet. */
  migrate(folder: URL): Promise<void>;
  /** A connection outside the pool, with the same settings; the caller ends it. */
  connectAlone(): Promise<pg.Client>;
  close(): Promise<void>;
}

export function openDatabase({ url, schema, connectionsMax, log }: DatabaseOptions): Database {
  if (!schemaPattern.test(schema)) throw new Error(`"${schema}" cannot be the name of a Postgres schema.`);
  const settings: pg.ClientConfig = {
    connectionString: url.reveal(),
    // Prisma stores a timestamptz shifted when the session's time zone is not UTC.
    options: `-c TimeZone=UTC -c search_path=${schema}`,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    keepAlive: true,
    application_name: `gatehouse-${schema}`,
  };
  const pool = new pg.Pool({ ...settings, max: connectionsMax });
  pool.on("error", (err) => log.warn({ err, schema }, "An idle database connection was lost."));
  return {
    pool,
    schema,
    prismaAdapter: () => new PrismaPg(pool, { schema, disposeExternalPool: false }),
    migrate: async (folder) => await applyMigrations(pool, schema, folder),
    async connectAlone() {
      const client = new pg.Client({ ...settings, statement_timeout: 0 });
      await client.connect();
      return client;
    },
    close: async () => await pool.end(),
  };
}
