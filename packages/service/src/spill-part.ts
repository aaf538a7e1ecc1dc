import { ConfigError } from "@gatehouse/config";
import { findFolderProblem } from "@gatehouse/spill";
import type { Part } from "./part.ts";

/**
 * Proves a folder for what waits on disk by a write: one that cannot be written stops the start, and is a notice afterwards, since
 * the folder is used only while something else is away, and a full disk that took every replica would be the greater outage.
 */
export function createSpillPart(folder: string): Part {
  return {
    name: "spill folder",
    async start() {
      const problem = await findFolderProblem(folder);
      if (problem === undefined) return;
      throw new ConfigError([`SPILL_FOLDER must be a folder that this process can write to: ${folder} (${problem}).`]);
    },
    async notices() {
      const problem = await findFolderProblem(folder);
      return problem === undefined ? [] : [`the spill folder ${folder} cannot be written (${problem})`];
    },
  };
}
