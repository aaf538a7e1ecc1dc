export { findFolderProblem } from "./folder-problem.ts";
export { createSerial, type Exclusively } from "./serial.ts";
export { SpillFolder, type SpillOptions } from "./spill-folder.ts";
