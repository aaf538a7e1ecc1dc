import { join } from "node:path";
import { startPostgres } from "@gatehouse/postgres";
import { Secret } from "@gatehouse/vault";
import { progress } from "./greeting.ts";
import { keepRunning } from "./keep-running.ts";
import type { StartedResources } from "./started-resources.ts";

function toLogFile(home: string): string {
  return join(home, "postgres.log");
}

/** Text for operators where the Postgres in the data folder is not available. */
export function postgresProblem(home: string): string {
  const remedy = "stop the product and start it again, which ends a Postgres that hangs";
  return `the embedded Postgres is not available: it is started again if it has ended; if this lasts, see ${toLogFile(home)}, or ${remedy}`;
}

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
      logFile: toLogFile(home),
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
