import { chmod, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "@gatehouse/errors";
import { serviceNames, readIfThere } from "@gatehouse/trust";
import { folderModes, keyFiles, KeysError, writeWhole } from "./keys-folder.ts";

/**
 * Moves the URLs for migrations, which an earlier version stored with each service's files, to the folder that only `gatehouse
 * migrate` sees. Repeatable, also after an interrupted run.
 * @returns a sentence for each file that was moved, or that needs manual action.
 * @throws KeysError where the folder cannot be written.
 */
export async function moveMigrationUrls(folder: string): Promise<readonly string[]> {
  const sentences: string[] = [];
  for (const service of serviceNames) {
    const [from, to] = [join(service, keyFiles.formerMigration), join(keyFiles.migration, service)];
    const former = await readIfThere(join(folder, from));
    if (former === undefined) continue;
    const present = await readIfThere(join(folder, to));
    // Only this version writes there, so its password is newer.
    if (present !== undefined && present !== former) {
      sentences.push(`${from} differs from ${to}, which is the one that counts. Delete ${from}.`);
      continue;
    }
    await moveSecret(former, join(folder, from), join(folder, keyFiles.migration), service);
    sentences.push(`Moved ${from} to ${to}: services do not need it.`);
  }
  return sentences;
}

/** Writes the file completely before the old one is removed. */
async function moveSecret(text: string, from: string, parent: string, name: string): Promise<void> {
  try {
    await mkdir(parent, { recursive: true, mode: folderModes.secret });
    await chmod(parent, folderModes.secret);
    await writeWhole(join(parent, name), text, { isSecret: true });
    await rm(from);
  } catch (err) {
    const code = codeOf(err) ?? "unknown";
    // Docker creates a missing mount folder as root.
    const reason = `${from} cannot be moved to ${parent} (${code}). Give both folders to the user that runs this command (chown).`;
    throw new KeysError(reason, { cause: err });
  }
}
