import { postmasterOf } from "./frozen-postgres.ts";
import { sendSignal } from "./postmaster.ts";
import { waitForEnd } from "./process-identity.ts";
import type { LocalPostgres } from "./start-postgres.ts";

const crashedWithinMs = 5_000;

/**
 * Kills a server, like a crash: sessions break, and nothing more is written. Uses Postgres' immediate shutdown (its
 * documentation, "Shutting Down the Server").
 */
export async function crashPostgres(postgres: LocalPostgres): Promise<void> {
  const pid = await postmasterOf(postgres.dataDir);
  sendSignal(pid, "SIGQUIT");
  await waitForEnd(pid, crashedWithinMs);
  await postgres.stop();
}
