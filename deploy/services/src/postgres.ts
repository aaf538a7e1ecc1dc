import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type StartedResources, progress } from "@gatehouse/local-start";
import { type LocalPostgres, startPostgres } from "@gatehouse/postgres";
import { Secret } from "@gatehouse/vault";

const restartDelayMs = 500;

/** Starts a Postgres in the data folder, and restarts it on the same port when it ends by itself. @returns its superuser's URL. */
export async function openPostgres(home: string, opened: StartedResources): Promise<Secret> {
  progress("Starting Postgres.");
  let current: LocalPostgres | undefined;
  const stopping = new AbortController();
  const start = async (port?: number): Promise<LocalPostgres> =>
    await startPostgres({
      dataDir: join(home, "postgres"),
      logFile: join(home, "postgres.log"),
      ...(port === undefined ? {} : { port }),
      onProgress: progress,
      onUnexpectedExit: () => void restart(),
    });
  const restart = async (): Promise<void> => {
    const port = current?.port;
    while (!stopping.signal.aborted) {
      progress("Postgres has ended unexpectedly; it is started again.");
      await current?.stop().catch(() => undefined);
      await delay(restartDelayMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      const next = await start(port).catch(() => undefined);
      if (next === undefined) continue;
      current = next;
      return;
    }
  };
  current = await start();
  opened.add(async () => {
    stopping.abort();
    await current?.stop();
  });
  return new Secret(current.url);
}
