import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type LocalPostgres, startPostgres } from "@gatehouse/postgres";
import type { ProcessGroup } from "../process-usage.ts";
import type { Bench } from "../scenario.ts";
import { type Gatehouse, startGatehouse } from "./gatehouse.ts";

/** A product of a scenario's own, on a Postgres that the scenario may fill and stop. */
export interface PrivateGatehouse {
  readonly gatehouse: Gatehouse;
  /** The product's process with that Postgres. */
  readonly group: ProcessGroup;
  readonly databaseUrl: string;
  /** Ends the server at once, as a crash would: sessions break, nothing is written any more. */
  crashPostgres(): Promise<void>;
  /** Starts the server again, on the same port and data. */
  restartPostgres(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts both in new folders; undefined where there is no product.  @throws Error when one does not start. */
export async function startPrivateGatehouse(
  bench: Bench,
  name: string,
  env: Readonly<Record<string, string>> = {},
): Promise<PrivateGatehouse | undefined> {
  const folder = mkdtempSync(join(tmpdir(), `gatehouse-bench-${name}-`));
  // Postgres may run as another user, who must be able to pass.
  chmodSync(folder, 0o711);
  const server = { dataDir: join(folder, "postgres"), logFile: join(bench.logFolder, `${name}-postgres.log`) };
  let postgres = await startPostgres(server);
  const end = async () => {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  const { fromSource, profile } = bench.options;
  const options = { providerOrigin: bench.provider.origin, logFolder: bench.logFolder, fromSource, profile };
  const own = { databaseUrl: postgres.url, logName: `${name}-gatehouse`, env };
  const gatehouse = await startGatehouse({ ...options, ...own }).catch(async (err: unknown) => {
    await end();
    throw err;
  });
  if (!gatehouse) {
    await end();
    return undefined;
  }
  return {
    gatehouse,
    group: { rootPid: gatehouse.subject.group?.rootPid ?? 0, home: folder },
    databaseUrl: postgres.url,
    crashPostgres: async () => await crash(postgres),
    restartPostgres: async () => {
      postgres = await startPostgres({ ...server, port: postgres.port });
    },
    stop: async () => {
      await gatehouse.stop();
      await end();
    },
  };
}

const crashedWithinMs = 5_000;

/** SIGQUIT is Postgres' immediate shutdown (its documentation, "Shutting Down the Server"). */
async function crash(postgres: LocalPostgres): Promise<void> {
  const file = join(postgres.dataDir, "cluster", "postmaster.pid");
  const pid = Number(readFileSync(file, "utf8").split("\n")[0]);
  process.kill(pid, "SIGQUIT");
  for (const until = performance.now() + crashedWithinMs; isRunning(pid) && performance.now() < until;) await delay(20);
  await postgres.stop();
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
