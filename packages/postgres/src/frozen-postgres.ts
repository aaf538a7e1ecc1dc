import { chmod, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
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
 * Needs Linux' `/proc`, to find the server's processes.
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
  const signal = async (name: "SIGSTOP" | "SIGCONT" | "SIGKILL") => {
    const postmaster = await postmasterOf(server.dataDir);
    const children = await childrenOf(postmaster);
    // The postmaster first, so that it starts no further process meanwhile.
    process.kill(postmaster, name);
    for (const pid of new Set([...children, ...(await childrenOf(postmaster))])) signalChild(pid, name);
  };
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

function signalChild(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (err) {
    // A worker of the server may have ended meanwhile.
    if (!(err instanceof Error && "code" in err && err.code === "ESRCH")) throw err;
  }
}

/** Process id of a data folder's server, from `postmaster.pid` at any depth below that folder. */
export async function postmasterOf(dataDir: string): Promise<number> {
  const names = await readdir(dataDir, { recursive: true });
  const name = names.find((path) => basename(path) === "postmaster.pid");
  if (name === undefined) throw new Error("The server's process was not found.");
  const [line] = (await readFile(join(dataDir, name), "utf8")).split("\n", 1);
  return Number(line);
}

async function childrenOf(parent: number): Promise<readonly number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = await Promise.all(pids.map(parentOf));
  return pids.filter((_, at) => parents[at] === parent);
}

async function parentOf(pid: number): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The program's name, in parentheses, may contain anything.
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
}
