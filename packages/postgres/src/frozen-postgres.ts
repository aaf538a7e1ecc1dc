import { chmod, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { signalServer } from "./postmaster.ts";
import { startPostgres } from "./start-postgres.ts";

/** A separate Postgres that can be frozen (its connections stay open without answers, new ones too) or killed. */
export interface FreezablePostgres {
  readonly url: string;
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** Kills all its processes. */
  kill(): Promise<void>;
  /** Starts it again, under the same URL. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * @param durability `lasting`: commits survive a kill; if not, the newest are lost
 */
export async function startFreezablePostgres(
  durability: "lasting" | "throwaway" = "throwaway",
): Promise<FreezablePostgres> {
  const folder = await mkdtemp(join(tmpdir(), "gatehouse-frozen-"));
  await chmod(folder, 0o711);
  const options = {
    dataDir: join(folder, "data"),
    logFile: join(folder, "log"),
    throwaway: durability === "throwaway",
  };
  let server = await startPostgres(options);
  const signal = async (name: NodeJS.Signals) => await signalPostgres(server.dataDir, name);
  return {
    url: server.url,
    freeze: async () => await signal("SIGSTOP"),
    thaw: async () => await signal("SIGCONT"),
    async kill() {
      await signal("SIGKILL");
      await server.stop();
    },
    async restart() {
      server = await startPostgres({ ...options, port: server.port });
    },
    async stop() {
      await signal("SIGCONT");
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Sends a signal to all processes of the server of a data folder. */
export async function signalPostgres(dataDir: string, signal: NodeJS.Signals): Promise<void> {
  await signalServer(await postmasterOf(dataDir), signal);
}

/** Process id of a data folder's server, from `postmaster.pid` at any depth below that folder. */
export async function postmasterOf(dataDir: string): Promise<number> {
  const names = await readdir(dataDir, { recursive: true });
  const name = names.find((path) => basename(path) === "postmaster.pid");
  if (name === undefined) throw new Error("The server's process was not found.");
  const [line] = (await readFile(join(dataDir, name), "utf8")).split("\n", 1);
  return Number(line);
}
