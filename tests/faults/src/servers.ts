import { chmodSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { findNatsServer, startNatsServer, type TestNatsServer } from "@gatehouse/events/testing";
import { startPostgres } from "@gatehouse/postgres";

/** The servers that the services share, of this run alone. */
export interface Servers {
  readonly databaseUrl: string;
  /** Absent where there is no `nats-server`. */
  readonly nats: TestNatsServer | undefined;
  /** Ends Postgres at once, as a crash would. */
  crashPostgres(): Promise<void>;
  restartPostgres(): Promise<void>;
  stop(): Promise<void>;
}

const crashedWithinMs = 5_000;

export async function startServers(): Promise<Servers> {
  const folder = await mkdtemp(join(tmpdir(), "gatehouse-faults-"));
  // Postgres may run as another user, who must be able to pass.
  chmodSync(folder, 0o711);
  const server = { dataDir: join(folder, "postgres"), logFile: join(folder, "postgres.log") };
  let postgres = await startPostgres(server);
  const program = await findNatsServer();
  const nats = program === undefined ? undefined : await startNatsServer(program);
  return {
    databaseUrl: postgres.url,
    nats,
    async crashPostgres() {
      const file = join(postgres.dataDir, "cluster", "postmaster.pid");
      const pid = Number((await readFile(file, "utf8")).split("\n")[0]);
      // Postgres' immediate shutdown (its documentation, "Shutting Down the Server").
      process.kill(pid, "SIGQUIT");
      for (const until = performance.now() + crashedWithinMs; isRunning(pid) && performance.now() < until;)
        await delay(20);
      await postgres.stop();
    },
    async restartPostgres() {
      postgres = await startPostgres({ ...server, port: postgres.port });
    },
    async stop() {
      await nats?.remove();
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
