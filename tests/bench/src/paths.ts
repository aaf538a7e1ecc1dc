import { join } from "node:path";

/** This package's folder. */
export const packageFolder = join(import.meta.dirname, "..");

/** The repository's root. */
export const repositoryFolder = join(packageFolder, "..", "..");

/** Raw results and compiled programs; not under version control. */
export const resultsFolder = join(packageFolder, ".results");
