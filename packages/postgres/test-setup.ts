import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres, type LocalPostgres } from "./src/index.ts";

let server: LocalPostgres | undefined;
let directory: string | undefined;

/**
 * vitest global setup: one throwaway Postgres for each run, at `TEST_DATABASE_URL`, which tests reach through
 * `createTestDatabase`. If the variable is set, its server is used.
 */
export async function setup(): Promise<void> {
  if (process.env["TEST_DATABASE_URL"] !== undefined) {
    return;
  }
  directory = await mkdtemp(join(tmpdir(), "gatehouse-test-postgres-"));
  // For root the server runs as another user, which must be able to pass.
  await chmod(directory, 0o711);
  server = await startPostgres({
    dataDir: join(directory, "data"),
    logFile: join(directory, "postgres.log"),
    throwaway: true,
  });
  process.env["TEST_DATABASE_URL"] = server.url;
}

/** Ends the server and removes its files, if this run started one. */
export async function teardown(): Promise<void> {
  if (server === undefined || directory === undefined) {
    return;
  }
  await server.stop();
  await rm(directory, { recursive: true, force: true });
  delete process.env["TEST_DATABASE_URL"];
}
