import { mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";

/** Opens a file for a child's output and returns its descriptor. */
export function openLog(path: string): number {
  mkdirSync(dirname(path), { recursive: true });
  return openSync(path, "a");
}
