import { createHash } from "node:crypto";
import { access, chmod, mkdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { PostgresError, toFolderError } from "./postgres-error.ts";
import { runCommand } from "./run-command.ts";
import { chooseServerUser, type ServerUser } from "./server-user.ts";

/** Folder of a local server, and the user that it runs as. */
export interface Home {
  readonly directory: string;
  readonly user: ServerUser | undefined;
}

/** Postgres data folder inside a home. */
export function toClusterDir(directory: string): string {
  return join(directory, "cluster");
}

/**
 * Creates the folder for the server's files and chooses the user to run as. Where that user cannot enter the folder, which only
 * root meets, `fallbackRoot/<hash of the path>` permanently replaces it. Errors: `folder-not-writable`, `disk-full`.
 */
export async function prepareHome(
  dataDir: string,
  fallbackRoot: string,
  onProgress: (message: string) => void,
): Promise<Home> {
  const wanted = resolve(dataDir);
  const user = await chooseServerUser(toClusterDir(wanted));
  if (user === undefined) {
    await makePrivate(wanted);
    return { directory: wanted, user };
  }
  const fallback = join(fallbackRoot, createHash("sha256").update(wanted).digest("hex").slice(0, 12));
  const hasData = await exists(toClusterDir(wanted));
  const isMoved = !hasData && (await exists(toClusterDir(fallback)));
  if (!isMoved) {
    await makeEnterable(wanted);
    if (await canEnter(user, wanted)) {
      return { directory: wanted, user };
    }
  }
  if (hasData) {
    throw new PostgresError(
      "folder-not-writable",
      `Postgres runs as ${user.name} and cannot enter ${wanted}. Allow it to pass the folders above (chmod o+x) or move the data.`,
    );
  }
  return useFallback(fallback, user, (where) =>
    onProgress(`Postgres runs as ${user.name}, who cannot enter ${wanted}; its data is kept in ${where}.`),
  );
}

async function useFallback(directory: string, user: ServerUser, announce: (where: string) => void): Promise<Home> {
  announce(directory);
  await makeEnterable(directory);
  const itsUser = (await chooseServerUser(toClusterDir(directory))) ?? user;
  if (!(await canEnter(itsUser, directory))) {
    throw new PostgresError("folder-not-writable", `Postgres runs as ${itsUser.name} and cannot enter ${directory}.`);
  }
  return { directory, user: itsUser };
}

async function makePrivate(directory: string): Promise<void> {
  await makeDirectory(directory, 0o700);
}

/** Lets the server's user pass through the folder without listing it, so that the password beside the data stays hidden. */
async function makeEnterable(directory: string): Promise<void> {
  await makeDirectory(directory, 0o711);
  await chmod(directory, 0o711).catch((err: unknown) => {
    throw toFolderError(err, directory);
  });
}

async function makeDirectory(directory: string, mode: number): Promise<void> {
  try {
    await mkdir(directory, { recursive: true, mode });
    if (!(await stat(directory)).isDirectory()) {
      throw new PostgresError("folder-not-writable", `${directory} is not a folder. Choose another data folder.`);
    }
  } catch (err) {
    throw toFolderError(err, directory);
  }
}

/** Tests access by trying, since mode bits are not decisive (access lists, mounts). */
async function canEnter(user: ServerUser, directory: string): Promise<boolean> {
  return (await runCommand("/bin/sh", ["-c", 'cd "$1"', "sh", directory], user, 10_000)).ok;
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
