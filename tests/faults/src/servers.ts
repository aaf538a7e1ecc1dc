import { chmodSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lapse } from "@gatehouse/async/testing";
import { findNatsServer, startNatsServer, type TestNatsServer } from "@gatehouse/events/testing";
import { startPostgres } from "@gatehouse/postgres";
import { crashPostgres, promoteStandby, startStandby } from "@gatehouse/postgres/testing";

/** Servers shared by the services of this run. */
export interface Servers {
  readonly databaseUrl: string;
  /** Absent without `nats-server`. */
  readonly nats: TestNatsServer | undefined;
  /** Crashes Postgres. */
  crashPostgres(): Promise<void>;
  restartPostgres(): Promise<void>;
  /**
   * Crashes Postgres while a second server replicates it, which then answers at its address and accepts writes after
   * `readOnlyMs`.
   */
  failOverPostgres(readOnlyMs: number): Promise<void>;
  stop(): Promise<void>;
}

export async function startServers(): Promise<Servers> {
  const folder = await mkdtemp(join(tmpdir(), "gatehouse-faults-"));
  // Postgres may run as another user, who needs access.
  chmodSync(folder, 0o711);
  const serverOf = (name: string) => ({ dataDir: join(folder, name), logFile: join(folder, `${name}.log`) });
  let server = serverOf("postgres");
  let postgres = await startPostgres(server);
  let failovers = 0;
  const program = await findNatsServer();
  const nats = program === undefined ? undefined : await startNatsServer(program);
  return {
    databaseUrl: postgres.url,
    nats,
    crashPostgres: async () => await crashPostgres(postgres),
    async restartPostgres() {
      postgres = await startPostgres({ ...server, port: postgres.port });
    },
    async failOverPostgres(readOnlyMs) {
      failovers += 1;
      const next = serverOf(`standby-${failovers}`);
      const standby = await startStandby(postgres, next);
      await crashPostgres(postgres);
      await standby.stop();
      await rm(server.dataDir, { recursive: true, force: true });
      postgres = await startPostgres({ ...next, port: postgres.port });
      server = next;
      await lapse(readOnlyMs, "the second server takes no writes yet");
      await promoteStandby(postgres);
    },
    async stop() {
      await nats?.remove();
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
