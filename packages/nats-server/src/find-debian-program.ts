import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { access, mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

const fetchTimeoutMs = 60_000;

/** A program's path, or the reason why it was not found. */
export interface ProgramSearch {
  readonly program: string | undefined;
  readonly problem: string | undefined;
}

/** Program of a Debian package: its name on the PATH, the package's name, and its path inside the package. */
export interface DebianProgram {
  readonly name: string;
  readonly package: string;
  readonly path: string;
}

const natsServer: DebianProgram = { name: "nats-server", package: "nats-server", path: "usr/sbin/nats-server" };

/** Finds `nats-server` as {@link findDebianProgram} does, which may download its package. A failure is in `problem`. */
export async function findNatsServer(): Promise<ProgramSearch> {
  return await findDebianProgram(natsServer);
}

/** Finds a program: on the PATH, else in the checkout's `.toolchain`, else unpacked there from Debian's package, which needs no root. */
export async function findDebianProgram({ name, package: archive, path }: DebianProgram): Promise<ProgramSearch> {
  // Not under version control; shared by everything that runs from the checkout.
  const folder = join(findRepository(import.meta.dirname), ".toolchain", archive);
  const unpacked = join(folder, path);
  for (const program of [name, unpacked]) {
    if (await isProgram(program)) return { program, problem: undefined };
  }
  try {
    await unpackPackage(archive, folder);
    return { program: unpacked, problem: undefined };
  } catch (err) {
    return { program: undefined, problem: err instanceof Error ? err.message : "unknown" };
  }
}

/** Root folder of the workspace, from a folder inside it. */
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

/** Safe for concurrent processes: each works in a separate folder, and the first to finish wins. */
async function unpackPackage(name: string, toolFolder: string): Promise<void> {
  await mkdir(join(toolFolder, ".."), { recursive: true });
  const folder = await mkdtemp(`${toolFolder}-`);
  try {
    await run("apt-get", ["download", name], { cwd: folder, timeout: fetchTimeoutMs });
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
