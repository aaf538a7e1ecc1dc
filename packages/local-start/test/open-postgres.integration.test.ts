import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withConnection } from "@gatehouse/postgres/testing";
import { expect, onTestFinished, test } from "vitest";
import { openPostgres } from "../src/open-postgres.ts";
import { StartedResources } from "../src/started-resources.ts";

/** Crash recovery of an empty server takes about a second. */
const recoveryTimeoutMs = 30_000;

/** First row of a statement in a new session. */
async function ask(url: string, sql: string): Promise<unknown> {
  return await withConnection(url, async (client) => (await client.query<object>(sql)).rows[0]);
}

test("a Postgres that is killed comes back with its data at the same address, and ends with the product", async () => {
  const home = await mkdtemp(join(tmpdir(), "gatehouse-open-postgres-"));
  // Else the user of a Postgres that root starts could not enter it.
  await chmod(home, 0o711);
  const opened = new StartedResources();
  onTestFinished(async () => {
    await opened.end();
    await rm(home, { recursive: true });
  });
  const url = (await openPostgres(home, opened)).reveal();
  await ask(url, "CREATE TABLE kept AS SELECT 1 AS value");
  const { pid } = (await ask(url, "SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int AS pid")) as {
    pid: number;
  };
  process.kill(pid, "SIGKILL");
  const read = async () => await ask(url, "SELECT value FROM kept").catch(() => undefined);
  await expect.poll(read, { timeout: recoveryTimeoutMs }).toEqual({ value: 1 });
  await opened.end();
  await expect(ask(url, "SELECT 1")).rejects.toThrow("ECONNREFUSED");
}, 60_000);
