import { readFile, stat } from "node:fs/promises";

/** The operating system user that the server runs as when this process is root, which Postgres refuses to be. */
export interface ServerUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

const preferredNames = ["postgres", "nobody"];
const unprivilegedUser: ServerUser = { name: "nobody", uid: 65_534, gid: 65_534 };

/**
 * The user to run the server as; `undefined` means as this process, which is so for everyone but root.
 * Data that an ordinary user made stays theirs: root runs the server as the owner of `clusterDir` if there is one.
 */
export async function chooseServerUser(clusterDir: string): Promise<ServerUser | undefined> {
  if (process.getuid?.() !== 0) {
    return undefined;
  }
  const owner = await ownerOf(clusterDir);
  return owner ?? findServerUser(await readFile("/etc/passwd", "utf8").catch(() => ""));
}

/** Picks `postgres`, else `nobody`, out of the text of a passwd file; else the numbers that `nobody` usually has. */
export function findServerUser(passwd: string): ServerUser {
  const entries = passwd.split("\n").map((line) => line.split(":"));
  for (const wanted of preferredNames) {
    const entry = entries.find(([name]) => name === wanted);
    const uid = Number(entry?.[2]);
    const gid = Number(entry?.[3]);
    if (entry !== undefined && Number.isInteger(uid) && uid > 0 && Number.isInteger(gid) && gid > 0) {
      return { name: wanted, uid, gid };
    }
  }
  return unprivilegedUser;
}

async function ownerOf(path: string): Promise<ServerUser | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found === undefined || found.uid === 0
    ? undefined
    : { name: `uid ${found.uid}`, uid: found.uid, gid: found.gid };
}
