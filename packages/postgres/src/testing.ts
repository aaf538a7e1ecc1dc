import { randomUUID } from "node:crypto";
import { withConnection } from "./ensure-database.ts";

export { crashPostgres } from "./crash-postgres.ts";
export { withConnection } from "./ensure-database.ts";
export { type FreezablePostgres, signalPostgres, startFreezablePostgres } from "./frozen-postgres.ts";
export { type PgBouncer, startPgBouncer, unpackPgBouncer } from "./pgbouncer.ts";
export { replaceDatabase } from "./replaced-database.ts";
export { promoteStandby, startStandby } from "./standby.ts";

export interface TestDatabase {
  readonly url: string;
  /** Removes the database and ends its connections. */
  drop(): Promise<void>;
}

/**
 * Creates an empty, uniquely named database on the server of `TEST_DATABASE_URL` (test-setup.ts starts one for each test run).
 * The URL's user must be allowed to create databases. Throws when the variable is not set.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const serverUrl = process.env["TEST_DATABASE_URL"];
  if (serverUrl === undefined || serverUrl === "") {
    throw new Error(
      "TEST_DATABASE_URL is not set: run this test in a vitest project that has packages/postgres/test-setup.ts.",
    );
  }
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  await withConnection(serverUrl, (client) => client.query(`CREATE DATABASE ${name}`));
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: async () => {
      await withConnection(serverUrl, (client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
    },
  };
}
