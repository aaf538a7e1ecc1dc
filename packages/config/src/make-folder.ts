import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { hasCode } from "@gatehouse/errors";

/**
 * Creates a folder that a setting names, with missing parents; an existing one is left as it is. Node's recursive `mkdir` never ends
 * below a folder in which the system creates nothing and reports ENOENT, such as `/proc`.
 * @throws the system's error
 */
export async function makeFolder(path: string, mode?: number): Promise<void> {
  try {
    await makeOne(path, mode);
  } catch (err) {
    const parent = dirname(path);
    if (!hasCode(err, "ENOENT") || parent === path) throw err;
    await makeFolder(parent, mode);
    await makeOne(path, mode);
  }
}

async function makeOne(path: string, mode: number | undefined): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (err) {
    if (!hasCode(err, "EEXIST") || !(await stat(path)).isDirectory()) throw err;
  }
}
