import { rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Logger } from "@gatehouse/telemetry";
import type { Secret } from "@gatehouse/vault";

/**
 * Shows a generated admin key once: on a terminal, else in a file that only this user may read, since other output is usually a
 * log that is shipped elsewhere.
 */
export function createAdminKeyNotice(
  /** A person's terminal; undefined where standard output goes to a log. */ terminal:
    | { write(text: string): unknown }
    | undefined,
  /** Destination of the key without a terminal. */
  file: string,
  log: Logger,
): (key: Secret) => void {
  return (key) => {
    if (terminal !== undefined) {
      terminal.write(`Admin key, shown this once: ${key.reveal()}\n`);
      return;
    }
    const path = resolve(file);
    try {
      rmSync(path, { force: true });
      writeFileSync(path, `${key.reveal()}\n`, { flag: "wx", mode: 0o600 });
      log.warn({ path }, `An admin key was made. Read it from ${path}, and delete the file.`);
    } catch (err) {
      log.error(
        { err, path },
        "An admin key was made, and could not be written. Set GATEHOUSE_ADMIN_KEY to a key of your own and start again.",
      );
    }
  };
}
