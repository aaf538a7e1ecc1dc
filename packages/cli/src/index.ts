export { runCommandLine, type Terminal } from "./program.ts";
