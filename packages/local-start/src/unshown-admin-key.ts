import { rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "@gatehouse/errors";
import { Secret } from "@gatehouse/vault";

/**
 * Keeps a new admin key in a private file from before it is stored until it has been shown: a start that fails or is killed in
 * between must not lose it, since it cannot be read again.
 */
export interface UnshownAdminKey {
  /** Path of the file. */
  readonly path: string;
  keep(key: Secret): void;
  read(): Promise<Secret | undefined>;
  forget(): void;
}

/** The file of a data folder; exists only between the creation of the key and its display. */
export function openUnshownAdminKey(home: string): UnshownAdminKey {
  const path = join(home, "unshown-admin-key");
  return {
    path,
    keep(key) {
      // An existing file belongs to a start that stored no key.
      rmSync(path, { force: true });
      writeFileSync(path, key.reveal(), { flag: "wx", mode: 0o600 });
    },
    async read() {
      try {
        return new Secret((await readFile(path, "utf8")).trim());
      } catch (err) {
        if (hasCode(err, "ENOENT")) return undefined;
        throw err;
      }
    },
    forget: () => rmSync(path, { force: true }),
  };
}
