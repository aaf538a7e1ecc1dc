import { join } from "node:path";
import { type StartedResources, progress } from "@gatehouse/local-start";
import { startPostgres } from "@gatehouse/postgres";
import { Secret } from "@gatehouse/vault";
import { keepRunning } from "./keep-running.ts";

/** Starts a Postgres in the data folder, and restarts it on the same port when it ends by itself. @returns its superuser's URL. */
export async function openPostgres(home: string, opened: StartedResources): Promise<Secret> {
  progress("Starting Postgres.");
  const start = async (port?: number) => {
    const { promise: ended, resolve: onEnd } = Promise.withResolvers<void>();
    const server = await startPostgres({
      dataDir: join(home, "postgres"),
      logFile: join(home, "postgres.log"),
      ...(port === undefined ? {} : { port }),
      onProgress: progress,
      onUnexpectedExit: onEnd,
    });
    const stop = async () => {
      await server.stop();
      onEnd();
    };
    // Its folder is released before another is started in it.
    return {
      url: server.url,
      port: server.port,
      stop,
      ended: ended.then(async () => await server.stop().catch(() => undefined)),
    };
  };
  const first = await start();
  opened.add(keepRunning("Postgres", first, async () => await start(first.port)));
  return new Secret(first.url);
}
