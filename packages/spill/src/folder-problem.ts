import { codeOf } from "@gatehouse/errors";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Why nothing can be written to a folder now, as an error code such as `EACCES` or `ENOSPC`; undefined where it can. Makes the folder. */
export async function findFolderProblem(folder: string): Promise<string | undefined> {
  const probe = join(folder, `.probe-${process.pid}`);
  try {
    await mkdir(folder, { recursive: true });
    // A full disk takes an empty file.
    await writeFile(probe, "probe\n", { mode: 0o600, flush: true });
    await rm(probe, { force: true });
    return undefined;
  } catch (err) {
    return codeOf(err) ?? "unknown";
  }
}
