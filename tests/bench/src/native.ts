import { existsSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { runProcess } from "./child-process.ts";
import { packageFolder, resultsFolder } from "./paths.ts";

/** Load generator and mock provider. */
export interface Toolkit {
  readonly kind: "c" | "node";
  /** Commands, to which arguments are appended. */
  readonly load: readonly string[];
  readonly mockProvider: readonly string[];
  /** Name of the compiler, or why the Node programs are used. */
  readonly note: string;
}

/** Programs in TypeScript: correct, but slower, so they disturb the measurement. */
export function nodeToolkit(note: string): Toolkit {
  const program = (name: string) => [process.execPath, join(packageFolder, "src", name)];
  return { kind: "node", load: program("node-load.ts"), mockProvider: program("node-mock-provider.ts"), note };
}

/** Compiles the C programs if they are outdated; falls back to the Node ones. */
export async function prepareToolkit(generator: "auto" | "node"): Promise<Toolkit> {
  if (generator === "node") return nodeToolkit("asked for");
  if (process.platform !== "linux") return nodeToolkit(`the C programs need Linux, this is ${process.platform}`);
  try {
    const compiler = (await runProcess(["cc", "--version"], 10_000)).split("\n")[0] ?? "cc";
    return { kind: "c", load: [await build("load")], mockProvider: [await build("mock-provider")], note: compiler };
  } catch (err) {
    return nodeToolkit(`no C compiler that works: ${err instanceof Error ? err.message : String(err)}`);
  }
}

const headers = ["reply.h", "samples.h"];

async function build(name: string): Promise<string> {
  const native = join(packageFolder, "native");
  const sources = [`${name}.c`, ...headers].map((file) => join(native, file));
  const folder = join(resultsFolder, "build");
  const target = join(folder, name);
  const newest = Math.max(...sources.map((source) => statSync(source).mtimeMs));
  if (existsSync(target) && statSync(target).mtimeMs > newest) return target;
  mkdirSync(folder, { recursive: true });
  await runProcess(["cc", "-O2", "-o", target, join(native, `${name}.c`)], 60_000);
  return target;
}
