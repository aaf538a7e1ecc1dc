export { runCommandLine } from "./program.ts";
export type { Terminal } from "./session.ts";
