import { existsSync } from "node:fs";
import { join } from "node:path";

/** This package's folder. */
export const packageFolder = join(import.meta.dirname, "..");

/** The repository's root. */
export const repositoryFolder = join(packageFolder, "..", "..");

/** Raw results and compiled programs; ignored by git. */
export const resultsFolder = join(packageFolder, ".results");

/** Entry file of a checkout's built product: its bundle, if any. Services have none, nor have older checkouts. */
export function builtEntry(checkout: string, topology: "standalone" | "services"): string {
  const built = join(checkout, "deploy", topology, "dist");
  const bundled = join(built, "bundle", "main.js");
  return existsSync(bundled) ? bundled : join(built, "main.js");
}
