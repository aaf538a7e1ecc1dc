import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PostgresError, toFolderError } from "./postgres-error.ts";
import { readProcessToken } from "./process-identity.ts";

interface Owner {
  readonly pid: number;
  readonly token: string;
}

/**
 * Marks this process as the owner of the server in `home`, so that a second product on the same folder does not stop a live
 * server as a leftover. The mark of an ended process is ignored. Returns a function that releases it. Errors: `in-use`,
 * `folder-not-writable`, `disk-full`.
 */
export async function acquireOwnership(home: string): Promise<() => Promise<void>> {
  const path = join(home, "owner.json");
  const self: Owner = { pid: process.pid, token: (await readProcessToken(process.pid)) ?? "" };
  if (!(await tryCreate(path, self))) {
    const other = await readOwner(path);
    if (other !== undefined && (await readProcessToken(other.pid)) === other.token) {
      throw new PostgresError(
        "in-use",
        `Process ${other.pid} already runs a Postgres in ${home}. Stop it first, or choose another data folder.`,
      );
    }
    await rm(path, { force: true });
    if (!(await tryCreate(path, self))) {
      throw new PostgresError("in-use", `Another process is just starting a Postgres in ${home}.`);
    }
  }
  return () => rm(path, { force: true });
}

async function tryCreate(path: string, owner: Owner): Promise<boolean> {
  try {
    await writeFile(path, JSON.stringify(owner), { flag: "wx", mode: 0o600 });
    return true;
  } catch (err) {
    if (err instanceof Error && "code" in err && err.code === "EEXIST") {
      return false;
    }
    throw toFolderError(err, path);
  }
}

async function readOwner(path: string): Promise<Owner | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(path, "utf8"));
    const isOwner = typeof value === "object" && value !== null && "pid" in value && "token" in value;
    return isOwner ? { pid: Number(value.pid), token: String(value.token) } : undefined;
  } catch {
    return undefined;
  }
}
