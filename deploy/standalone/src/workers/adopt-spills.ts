import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { extname, join, relative } from "node:path";
import { hasCode } from "@gatehouse/errors";
import { processMarkExtension } from "@gatehouse/service";

/** Prefix of the workers' folders inside the product's spill folder. */
export const workerFolderPrefix = "worker-";

/**
 * Moves rows spilled by workers of an earlier run to this process's folder, which is replayed at its start; the workers of this
 * run begin with empty folders, whatever their number.
 */
export async function adoptSpills(spillFolder: string): Promise<void> {
  for (const worker of await listFolder(spillFolder)) {
    if (!worker.startsWith(workerFolderPrefix)) continue;
    const folder = join(spillFolder, worker);
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    for (const entry of entries) {
      if (!entry.isFile() || extname(entry.name) === processMarkExtension) continue;
      const target = join(spillFolder, relative(folder, entry.parentPath));
      await mkdir(target, { recursive: true });
      const extension = extname(entry.name);
      // Two workers may have files of one name.
      const name = `${entry.name.slice(0, -extension.length)}-${worker}${extension}`;
      await rename(join(entry.parentPath, entry.name), join(target, name));
    }
    await rm(folder, { recursive: true });
  }
}

async function listFolder(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (err) {
    if (hasCode(err, "ENOENT")) return [];
    throw err;
  }
}
