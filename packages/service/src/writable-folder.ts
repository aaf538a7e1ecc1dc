import { ConfigError } from "@gatehouse/config";
import { findFolderProblem } from "@gatehouse/spill";

/** A folder that a service writes to. */
export interface WritableFolder {
  readonly path: string;
  /** Name of its setting. */
  readonly setting: string;
  /** Purpose, as a notice names it. */
  readonly title: string;
}

/** Checks it by a write, at a start; creates the folder if absent. @throws ConfigError that names the setting. */
export async function requireFolder({ path, setting }: WritableFolder): Promise<void> {
  const problem = await findFolderProblem(path);
  if (problem !== undefined)
    throw new ConfigError([`${setting} must be a folder that this process can write to: ${path} (${problem}).`]);
}

/** Notices about it while a service runs: a full disk should not stop every replica. */
export async function folderNotices({ path, title }: WritableFolder): Promise<readonly string[]> {
  const problem = await findFolderProblem(path);
  return problem === undefined ? [] : [`the ${title} folder ${path} cannot be written (${problem})`];
}
