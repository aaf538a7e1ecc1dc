import { Client, DatabaseError } from "pg";
import { PostgresError } from "./postgres-error.ts";

const connectTimeoutMs = 10_000;
const wrongPassword = "28P01";

/**
 * Creates the database `name` if it is absent. `adminUrl` connects a superuser to any other database of the server. Errors:
 * `password-lost` when the server refuses the password.
 */
export async function ensureDatabase(adminUrl: string, name: string): Promise<void> {
  await withConnection(adminUrl, async (client) => {
    const found = await client.query("SELECT 1 FROM pg_database WHERE datname = $1", [name]);
    if (found.rowCount === 0) {
      await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
    }
  });
}

/** Runs `use` with one connection, and closes it in any case. */
export async function withConnection<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: connectTimeoutMs });
  // A lost server also fails the running query, which reports it.
  client.on("error", () => undefined);
  try {
    await client.connect();
    return await use(client);
  } catch (err) {
    throw toConnectionError(err);
  } finally {
    await client.end();
  }
}

function toConnectionError(err: unknown): unknown {
  if (err instanceof DatabaseError && err.code === wrongPassword) {
    const message = "The password file beside the data does not match the database. Restore it from a backup.";
    return new PostgresError("password-lost", message, { cause: err });
  }
  return err;
}
