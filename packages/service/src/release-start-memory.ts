import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Gives back the memory that only the start has needed, once, before the process takes its first request. Loading code makes V8's
 * space for young objects grow to its largest, and without work nothing would ever make it collect and shrink again: a third of an
 * idle process. It grows again with the load that needs it. Takes some 50 ms.
 */
export function releaseStartMemory(): void {
  setFlagsFromString("--expose-gc");
  // The function is only there in a context that was made after the flag.
  const collect: unknown = runInNewContext("gc");
  setFlagsFromString("--no-expose-gc");
  if (typeof collect === "function") collect({ type: "major", flavor: "last-resort" });
}
