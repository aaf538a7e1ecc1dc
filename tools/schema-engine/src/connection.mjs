import { Client, escapeIdentifier } from "pg";
import { parse } from "pg-connection-string";

/** Parameters of a Prisma URL that Postgres does not know. */
const PRISMA_PARAMETERS = ["schema", "connection_limit", "pool_timeout", "connect_timeout", "pgbouncer"];
const DUPLICATE_DATABASE = "42P04";

/**
 * Converts a Prisma URL to pg's settings. They are single fields and never `connectionString`: pg prefers that over `database`,
 * and adapter-pg's own shadow connection would then use the main database.
 * @param {string} url
 * @param {string} [database] replaces the URL's database
 * @returns {{ schema: string | undefined, pg: import("pg").ClientConfig }}
 */
export function toConnectionSettings(url, database) {
  const bare = new URL(url);
  const schema = bare.searchParams.get("schema") ?? undefined;
  for (const name of PRISMA_PARAMETERS) {
    bare.searchParams.delete(name);
  }
  const { options = "", port, ...fields } = parse(bare.toString());
  const searchPath = schema === undefined ? "" : ` -c search_path=${schema.replaceAll(/([ \\])/g, "\\$1")}`;
  return {
    schema,
    pg: {
      ...fields,
      port: port ? Number(port) : undefined,
      database: database ?? fields.database,
      // adapter-pg stores timestamps shifted by the session's time zone.
      options: `${options} -c TimeZone=UTC${searchPath}`.trim(),
    },
  };
}

/** Connects, runs `sql` if given, and disconnects. @param {import("pg").ClientConfig} settings @param {string} [sql] */
export async function connectOnce(settings, sql) {
  const client = new Client(settings);
  await client.connect();
  try {
    if (sql !== undefined) {
      await client.query(sql);
    }
  } finally {
    await client.end();
  }
}

/**
 * Runs `sql` in the server's maintenance database.
 * @param {string} url
 * @param {string} sql
 */
export function runAsAdmin(url, sql) {
  return connectOnce(toConnectionSettings(url, "postgres").pg, sql);
}

/**
 * Creates the database of `url`, and its schema if named. Existing ones are left unchanged.
 * @param {string} url
 * @returns {Promise<{ databaseName: string }>}
 */
export async function createDatabase(url) {
  const { pg: settings, schema } = toConnectionSettings(url);
  try {
    await runAsAdmin(url, `CREATE DATABASE ${escapeIdentifier(settings.database)}`);
  } catch (error) {
    if (error.code !== DUPLICATE_DATABASE) {
      throw error;
    }
  }
  if (schema !== undefined) {
    await connectOnce(settings, `CREATE SCHEMA IF NOT EXISTS ${escapeIdentifier(schema)}`);
  }
  return { databaseName: settings.database };
}

/** Drops the database of `url`, and ends its connections. @param {string} url */
export function dropDatabase(url) {
  const { database } = toConnectionSettings(url).pg;
  return runAsAdmin(url, `DROP DATABASE IF EXISTS ${escapeIdentifier(database)} WITH (FORCE)`);
}
