import { join } from "node:path";
import { startPostgres } from "@gatehouse/postgres";
import { Secret } from "@gatehouse/vault";
import { progress } from "./greeting.ts";
import { keepRunning } from "./keep-running.ts";
import type { StartedResources } from "./started-resources.ts";

/**
 * Starts a Postgres in the data folder, and restarts it on the same port when it ends by itself: services wait for it as in any
 * outage. @param connectionsMax sessions of the server; its default where absent
 * @returns its superuser's URL
 */
export async function openPostgres(home: string, opened: StartedResources, connectionsMax?: number): Promise<Secret> {
  progress("Starting Postgres.");
  const start = async (port?: number) => {
    const { promise: ended, resolve: onEnd } = Promise.withResolvers<void>();
    const server = await startPostgres({
      dataDir: join(home, "postgres"),
      logFile: join(home, "postgres.log"),
      ...(port === undefined ? {} : { port }),
      ...(connectionsMax === undefined ? {} : { connectionsMax }),
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
