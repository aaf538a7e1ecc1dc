export { findFolderProblem } from "./folder-problem.ts";
export { SpillFolder, type SpillOptions } from "./spill-folder.ts";
