import { readFile, stat } from "node:fs/promises";

/** Operating system user of the server when this process is root, which Postgres refuses to be. */
export interface ServerUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

const preferredNames = ["postgres", "nobody"];
const unprivilegedUser: ServerUser = { name: "nobody", uid: 65_534, gid: 65_534 };

/**
 * Chooses the server's user; `undefined` means this process's, for everyone but root. Root runs the server as the owner of
 * existing data in `clusterDir`.
 */
export async function chooseServerUser(clusterDir: string): Promise<ServerUser | undefined> {
  if (process.getuid?.() !== 0) {
    return undefined;
  }
  const owner = await ownerOf(clusterDir);
  return owner ?? findServerUser(await readFile("/etc/passwd", "utf8").catch(() => ""));
}

/** Chooses `postgres`, else `nobody`, from the text of a passwd file; else the usual ids of `nobody`. */
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
