import { chmodSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findNatsServer, startNatsServer, type TestNatsServer } from "@gatehouse/events/testing";
import { startPostgres } from "@gatehouse/postgres";
import { crashPostgres } from "@gatehouse/postgres/testing";

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
    crashPostgres: async () => await crashPostgres(postgres),
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
