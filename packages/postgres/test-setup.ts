import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres, type LocalPostgres } from "./src/index.ts";

let server: LocalPostgres | undefined;
let directory: string | undefined;

/**
 * vitest global setup: one throwaway Postgres for each run, at `TEST_DATABASE_URL`, which tests reach through
 * `createTestDatabase`. A server that the variable already names is used as it is.
 */
export async function setup(): Promise<void> {
  if (process.env["TEST_DATABASE_URL"] !== undefined) {
    return;
  }
  directory = await mkdtemp(join(tmpdir(), "gatehouse-test-postgres-"));
  // As root the server runs as another user, who must be able to pass.
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
