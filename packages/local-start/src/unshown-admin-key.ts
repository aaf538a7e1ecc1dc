import { rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "@gatehouse/errors";
import { Secret } from "@gatehouse/vault";

/**
 * The minted admin key from before it is stored until it has been shown, in a file for this user alone: a start that fails or is
 * killed in between must not lose it, since it cannot be read again.
 */
export interface UnshownAdminKey {
  /** Name of the file. */
  readonly path: string;
  keep(key: Secret): void;
  read(): Promise<Secret | undefined>;
  forget(): void;
}

/** The file of a data folder; it is there only between the making of the key and its showing. */
export function openUnshownAdminKey(home: string): UnshownAdminKey {
  const path = join(home, "unshown-admin-key");
  return {
    path,
    keep(key) {
      // A file that is there belongs to a start that stored no key.
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
