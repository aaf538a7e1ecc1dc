import { join } from "node:path";

/** This package's folder. */
export const packageFolder = join(import.meta.dirname, "..");

/** The repository's root. */
export const repositoryFolder = join(packageFolder, "..", "..");

/** Raw results and compiled programs; not under version control. */
export const resultsFolder = join(packageFolder, ".results");

/** The file that starts a built product of a checkout, by the checkout's root. */
export function builtEntry(checkout: string, topology: "standalone" | "services"): string {
  return join(checkout, "deploy", topology, "dist", "main.js");
}
