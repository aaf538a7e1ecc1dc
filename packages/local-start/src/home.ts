import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, open, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "@gatehouse/config";
import { codeOf, hasCode } from "@gatehouse/errors";
import { Secret } from "@gatehouse/vault";
import { StartError } from "./start-error.ts";

const rootSecretPattern = /^[A-Za-z0-9_-]{43}$/;

/** Data folder of a local installation, opened by {@link openHome}. */
export interface Home {
  readonly folder: string;
  /** Secret from which every key of this installation is derived. Without it the sealed credentials are lost. */
  readonly rootSecret: Secret;
}

/** Modes of folders: private, or passable without listing. */
const modes = { own: 0o700, passable: 0o711 } as const;
/** Rights of other users that are taken away: to list, read and change the folder. To pass through is none of them. */
const othersRights = 0o066;
const permissionBits = 0o7777;

/**
 * Opens the data folder; creates it with a new root secret if absent.
 * @param isPassedThrough whether another user's process passes through the folder: Postgres, where root starts it
 * @throws StartError with a remedy
 */
export async function openHome(folder: string, isPassedThrough: boolean): Promise<Home> {
  const mode = isPassedThrough ? modes.passable : modes.own;
  try {
    await makeFolder(folder, mode);
    await close(folder, mode);
    const secret = join(folder, "root-secret");
    if (!existsSync(secret)) requireNew(folder, secret);
    return { folder, rootSecret: await readOrMakeSecret(secret) };
  } catch (err) {
    const reason = codeOf(err);
    if (reason === undefined) throw err;
    throw new StartError(
      `The data folder ${folder} cannot be written (${reason}). Make it writable, or set GATEHOUSE_HOME to another folder.`,
    );
  }
}

/**
 * Takes the contents of a folder of an earlier version from other users. Passage stays where it is: another gateway's Postgres may
 * run below the folder, and ends if it cannot reach its data.
 */
async function close(folder: string, mode: number): Promise<void> {
  const present = (await stat(folder)).mode & permissionBits;
  const closed = (present & ~othersRights) | mode;
  if (closed !== present) await chmod(folder, closed);
}

/** True only on the first call for a name in the life of a data folder. */
export async function markOnce(folder: string, name: string): Promise<boolean> {
  try {
    await writeFile(join(folder, name), "", { flag: "wx" });
    return true;
  } catch (err) {
    if (hasCode(err, "EEXIST")) return false;
    throw err;
  }
}

/** Traces of an installation that has had a root secret, which is made before all else: its database, and signed checkpoints. */
const traces = ["postgres/cluster", "logbook/audit-checkpoints.jsonl"];

/** @throws StartError where the installation had a secret: another would seal values, and sign checkpoints, beside those of the old one */
function requireNew(folder: string, secret: string): void {
  const trace = traces.map((name) => join(folder, name)).find((path) => existsSync(path));
  if (trace === undefined) return;
  const problem = `${secret} is missing, but ${trace} shows that this installation had one.`;
  const remedy = "Restore it from a backup, or set GATEHOUSE_HOME to an empty folder for a new installation";
  throw new StartError(`${problem} ${remedy}; without it the sealed credentials cannot be opened.`);
}

async function readOrMakeSecret(path: string): Promise<Secret> {
  const fresh = randomBytes(32).toString("base64url");
  try {
    await createDurably(path, fresh);
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

/** Creates a file and brings it to the disk, as Postgres does the values that are sealed under it, or leaves none. @throws EEXIST */
async function createDurably(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } catch (err) {
    // An empty or half file would count as damaged at the next start.
    await rm(path, { force: true });
    throw err;
  } finally {
    await file.close();
  }
}
