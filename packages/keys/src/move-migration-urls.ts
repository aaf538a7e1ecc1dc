import { chmod, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "@gatehouse/errors";
import { serviceNames, readIfThere } from "@gatehouse/trust";
import { folderModes, keyFiles, KeysError, writeWhole } from "./keys-folder.ts";

/**
 * Moves the URLs that migrate, which an earlier version kept among the files of each service, to the folder that `gatehouse migrate`
 * alone sees. May be repeated, also after a run that was cut off.
 * @returns a sentence for each file that has been moved, or that a person has to look at.
 * @throws KeysError where the folder cannot be written.
 */
export async function moveMigrationUrls(folder: string): Promise<readonly string[]> {
  const sentences: string[] = [];
  for (const service of serviceNames) {
    const [from, to] = [join(service, keyFiles.formerMigration), join(keyFiles.migration, service)];
    const former = await readIfThere(join(folder, from));
    if (former === undefined) continue;
    const present = await readIfThere(join(folder, to));
    // Only this version writes there: its password is the newer one.
    if (present !== undefined && present !== former) {
      sentences.push(`${from} differs from ${to}, which is the one that counts. Delete ${from}.`);
      continue;
    }
    await moveSecret(former, join(folder, from), join(folder, keyFiles.migration), service);
    sentences.push(`Moved ${from} to ${to}: services do not need it.`);
  }
  return sentences;
}

/** The file is whole under its new name before the old one goes. */
async function moveSecret(text: string, from: string, parent: string, name: string): Promise<void> {
  try {
    await mkdir(parent, { recursive: true, mode: folderModes.secret });
    await chmod(parent, folderModes.secret);
    await writeWhole(join(parent, name), text, { isSecret: true });
    await rm(from);
  } catch (err) {
    const code = codeOf(err) ?? "unknown";
    // Docker makes a folder that is to be mounted, and is absent, as root.
    const reason = `${from} cannot be moved to ${parent} (${code}). Give both folders to the user that runs this command (chown).`;
    throw new KeysError(reason, { cause: err });
  }
}
