import { existsSync } from "node:fs";
import { join } from "node:path";

/** This package's folder. */
export const packageFolder = join(import.meta.dirname, "..");

/** The repository's root. */
export const repositoryFolder = join(packageFolder, "..", "..");

/** Raw results and compiled programs; not under version control. */
export const resultsFolder = join(packageFolder, ".results");

/**
 * The file that starts a built product of a checkout, by the checkout's root: its bundle where it has one. Services have none, and
 * neither have checkouts from before there were bundles.
 */
export function builtEntry(checkout: string, topology: "standalone" | "services"): string {
  const built = join(checkout, "deploy", topology, "dist");
  const bundled = join(built, "bundle", "main.js");
  return existsSync(bundled) ? bundled : join(built, "main.js");
}
