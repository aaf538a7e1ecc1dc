import { globSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type LocalPostgres, startPostgres } from "@gatehouse/postgres";
import type { DatabaseServer } from "./scenarios.ts";

/** A separate database server that a test may kill. */
export interface CrashingPostgres extends DatabaseServer {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startCrashingPostgres(): Promise<CrashingPostgres> {
  const folder = await mkdtemp(join(tmpdir(), "gatehouse-ledger-"));
  const options = { dataDir: join(folder, "data"), logFile: join(folder, "postgres.log") };
  let ended = Promise.withResolvers<void>();
  const start = async (port?: number) =>
    await startPostgres({
      ...options,
      ...(port === undefined ? {} : { port }),
      onUnexpectedExit: () => ended.resolve(),
    });
  let server: LocalPostgres = await start();
  return {
    url: server.url,
    async crash() {
      ended = Promise.withResolvers<void>();
      // Immediate shutdown: sessions are aborted, buffers are lost, and the log is replayed at the next start.
      process.kill(await readPostmasterPid(server.dataDir), "SIGQUIT");
      await ended.promise;
      await server.stop();
      server = await start(server.port);
    },
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function readPostmasterPid(dataDir: string): Promise<number> {
  const [file] = globSync("**/postmaster.pid", { cwd: dataDir });
  if (file === undefined) throw new Error("The server's process is not known.");
  const [pid = ""] = (await readFile(join(dataDir, file), "utf8")).split("\n");
  return Number(pid);
}
