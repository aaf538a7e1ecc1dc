import { execFile } from "node:child_process";
import { access, mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

const fetchTimeoutMs = 60_000;

export interface NatsServerSearch {
  /** Absent where none is to be had. */
  readonly program: string | undefined;
  /** Why not, for people. */
  readonly problem: string | undefined;
}

/**
 * Finds a `nats-server`: on the PATH, else in the checkout's `.toolchain`, else unpacked there from Debian's package, which needs
 * no rights.
 */
export async function findNatsServer(): Promise<NatsServerSearch> {
  // Not under version control; laid once for everything that is run from the checkout.
  const folder = join(findRepository(import.meta.dirname), ".toolchain", "nats-server");
  const unpacked = join(folder, "usr/sbin/nats-server");
  for (const program of ["nats-server", unpacked]) {
    if (await isProgram(program)) return { program, problem: undefined };
  }
  try {
    await unpackNatsServer(folder);
    return { program: unpacked, problem: undefined };
  } catch (err) {
    return { program: undefined, problem: err instanceof Error ? err.message : "unknown" };
  }
}

/** The folder with the whole workspace, from one inside it. */
function findRepository(folder: string): string {
  if (existsSync(join(folder, "pnpm-workspace.yaml")) || folder === dirname(folder)) return folder;
  return findRepository(dirname(folder));
}

async function isProgram(name: string): Promise<boolean> {
  try {
    await run(name, ["--version"]);
    return true;
  } catch {
    return false;
  }
}

/** Several processes may do this at once: each works in a separate folder, and the first to finish wins. */
async function unpackNatsServer(toolFolder: string): Promise<void> {
  await mkdir(join(toolFolder, ".."), { recursive: true });
  const folder = await mkdtemp(`${toolFolder}-`);
  try {
    await run("apt-get", ["download", "nats-server"], { cwd: folder, timeout: fetchTimeoutMs });
    const archive = (await readdir(folder)).find((name) => name.endsWith(".deb"));
    if (archive === undefined) throw new Error("apt-get downloaded nothing");
    await run("dpkg", ["-x", join(folder, archive), folder]);
    await rename(folder, toolFolder);
  } catch (err) {
    await rm(folder, { recursive: true, force: true });
    await access(toolFolder).catch(() => {
      throw err;
    });
  }
}
