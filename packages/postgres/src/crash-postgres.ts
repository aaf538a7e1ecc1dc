import { postmasterOf } from "./frozen-postgres.ts";
import { sendSignal } from "./postmaster.ts";
import { waitForEnd } from "./process-identity.ts";
import type { LocalPostgres } from "./start-postgres.ts";

const crashedWithinMs = 5_000;

/**
 * Ends a server at once, as a crash would: sessions break, and nothing is written any more. It is Postgres' immediate shutdown (its
 * documentation, "Shutting Down the Server").
 */
export async function crashPostgres(postgres: LocalPostgres): Promise<void> {
  const pid = await postmasterOf(postgres.dataDir);
  sendSignal(pid, "SIGQUIT");
  await waitForEnd(pid, crashedWithinMs);
  await postgres.stop();
}
