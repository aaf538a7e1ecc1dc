import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Secret } from "@gatehouse/vault";
import { StartError } from "./start-error.ts";

const rootSecretPattern = /^[A-Za-z0-9_-]{43}$/;

export interface Home {
  readonly folder: string;
  /** What every key of this installation is derived from. Whoever loses it loses the sealed credentials. */
  readonly rootSecret: Secret;
}

/** Opens the data folder, and makes it with a new root secret when there is none. @throws StartError with a way out. */
export async function openHome(folder: string): Promise<Home> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o755 });
    return { folder, rootSecret: await readOrMakeSecret(join(folder, "root-secret")) };
  } catch (err) {
    if (!(err instanceof Error) || !("code" in err)) throw err;
    const reason = typeof err.code === "string" ? err.code : "unknown";
    throw new StartError(
      `The data folder ${folder} cannot be written (${reason}). Make it writable, or set GATEHOUSE_HOME to another folder.`,
    );
  }
}

/** Answers true once in the life of a data folder for each name. */
export async function markOnce(folder: string, name: string): Promise<boolean> {
  try {
    await writeFile(join(folder, name), "", { flag: "wx" });
    return true;
  } catch (err) {
    if (hasCode(err, "EEXIST")) return false;
    throw err;
  }
}

async function readOrMakeSecret(path: string): Promise<Secret> {
  const fresh = randomBytes(32).toString("base64url");
  try {
    await writeFile(path, fresh, { flag: "wx", mode: 0o600 });
    return new Secret(fresh);
  } catch (err) {
    if (!hasCode(err, "EEXIST")) throw err;
  }
  const kept = (await readFile(path, "utf8")).trim();
  if (!rootSecretPattern.test(kept)) {
    throw new StartError(
      `${path} is damaged. Restore it from a backup; without it the sealed credentials cannot be opened.`,
    );
  }
  return new Secret(kept);
}

function hasCode(err: unknown, code: string): boolean {
  return err instanceof Error && "code" in err && err.code === code;
}
