import { randomBytes } from "node:crypto";
import { access, chown, mkdir, open, readdir, readFile, rename, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import type { Binaries } from "./binaries.ts";
import { toClusterDir, type Home } from "./home.ts";
import { PostgresError, toFolderError, toStartError } from "./postgres-error.ts";
import { runCommand } from "./run-command.ts";

/** The superuser of every local server, and its database. */
export const superuser = "gatehouse";
/** Database of the product in a server of this package. */
export const productDatabase = "gatehouse";

/** A complete Postgres data folder and the password of its superuser. */
export interface Cluster {
  readonly directory: string;
  readonly password: string;
  readonly isNew: boolean;
}

/**
 * Opens or creates the data folder of `home`. It is created under another name and renamed when complete, so that remains of an
 * interrupted start are recognised and removed, and complete data never is. Errors: `wrong-version`, `not-a-cluster`,
 * `password-lost`, `folder-not-writable`, `disk-full`, `start-failed`.
 */
export async function prepareCluster(
  home: Home,
  binaries: Binaries,
  throwaway: boolean,
  onProgress: (message: string) => void,
): Promise<Cluster> {
  const directory = toClusterDir(home.directory);
  if (await isAbsentOrEmpty(directory)) {
    try {
      onProgress(`Creating the database in ${directory}.`);
      return await createCluster(home, binaries, throwaway, directory);
    } catch (err) {
      throw toFolderError(err, home.directory);
    }
  }
  await checkCluster(directory, binaries);
  return { directory, password: await readPassword(home.directory), isNew: false };
}

async function createCluster(home: Home, binaries: Binaries, throwaway: boolean, directory: string): Promise<Cluster> {
  const incomplete = `${directory}.incomplete`;
  await rm(incomplete, { recursive: true, force: true });
  await makeServerDirectory(incomplete, home);
  const password = randomBytes(24).toString("hex");
  const result = await runInitdb(home, binaries, throwaway, { directory: incomplete, password });
  if (!result.ok) {
    await rm(incomplete, { recursive: true, force: true });
    throw toStartError(result.output, directory);
  }
  await writeDurably(toPasswordPath(home.directory), password);
  await rmdir(directory).catch(() => undefined);
  await rename(incomplete, directory);
  return { directory, password, isNew: true };
}

async function runInitdb(
  home: Home,
  binaries: Binaries,
  throwaway: boolean,
  { directory, password }: { readonly directory: string; readonly password: string },
): ReturnType<typeof runCommand> {
  // initdb reads the password from a file as the server's user, which cannot read ours: it gets a temporary one.
  const handover = `${directory}.password`;
  await writeDurably(handover, password);
  try {
    if (home.user !== undefined) {
      await chown(handover, home.user.uid, home.user.gid);
    }
    return await runCommand(binaries.initdb, toInitdbArguments(directory, { handover, throwaway }), home.user);
  } finally {
    await rm(handover, { force: true });
  }
}

function toInitdbArguments(
  directory: string,
  { handover, throwaway }: { readonly handover: string; readonly throwaway: boolean },
): string[] {
  return [
    "--pgdata",
    directory,
    "--username",
    superuser,
    "--pwfile",
    handover,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    // Sorting by code point is the same on every system; with a library's collation, an update of it would break indexes.
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--locale=C",
    "--no-instructions",
    ...(throwaway ? ["--no-sync"] : []),
  ];
}

async function checkCluster(directory: string, { majorVersion }: Binaries): Promise<void> {
  let version: string;
  try {
    await access(join(directory, "global", "pg_control"));
    version = (await readFile(join(directory, "PG_VERSION"), "utf8")).trim();
  } catch (err) {
    if (!(err instanceof Error && "code" in err && err.code === "ENOENT")) {
      throw toFolderError(err, directory);
    }
    throw new PostgresError(
      "not-a-cluster",
      `${directory} is not a complete Postgres data folder. Move it away to start with an empty database, or restore it from a backup.`,
      { cause: err },
    );
  }
  if (version !== majorVersion) {
    throw new PostgresError(
      "wrong-version",
      `${directory} was written by Postgres ${version}; this release brings Postgres ${majorVersion}. Export the data with the release that wrote it, or choose another data folder.`,
    );
  }
}

async function readPassword(home: string): Promise<string> {
  const path = toPasswordPath(home);
  const password = await readFile(path, "utf8").catch((err: unknown) => {
    throw new PostgresError(
      "password-lost",
      `Cannot read ${path}, the password of the database beside it. Restore the file from a backup, or make it readable for this user.`,
      { cause: err },
    );
  });
  return password.trim();
}

function toPasswordPath(home: string): string {
  return join(home, "password");
}

async function makeServerDirectory(path: string, { user }: Home): Promise<void> {
  await mkdir(path, { mode: 0o700 });
  if (user !== undefined) {
    await chown(path, user.uid, user.gid);
  }
}

async function writeDurably(path: string, text: string): Promise<void> {
  await rm(path, { force: true });
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function isAbsentOrEmpty(directory: string): Promise<boolean> {
  try {
    return (await readdir(directory)).length === 0;
  } catch (err) {
    if (err instanceof Error && "code" in err && err.code === "ENOENT") {
      return true;
    }
    throw toFolderError(err, directory);
  }
}
