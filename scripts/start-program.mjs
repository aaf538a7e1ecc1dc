// Prepares the checkout and becomes a program that it has built.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { becomeProgram } from "./become-program.mjs";
import { prepare } from "./prepare.mjs";
import { repositoryRoot } from "./toolchain.mjs";
import { endForArguments } from "./usage.mjs";

/**
 * Arguments end it before anything is prepared (`endForArguments`); a failed start prints a line, and exits with 1.
 * @param {string} usage
 * @param {string[]} path of the built program below the repository
 */
export async function startProgram(usage, ...path) {
  if (endForArguments(usage)) {
    return;
  }
  const main = join(repositoryRoot, ...path);
  try {
    const { node, env } = await prepare();
    if (!existsSync(main)) {
      throw new Error(`The build left no ${main}.`);
    }
    const compileCache = join(repositoryRoot, "node_modules", ".cache", "node-compile");
    becomeProgram(node, [main], { NODE_COMPILE_CACHE: compileCache, ...env });
  } catch (error) {
    process.stderr.write(`Gatehouse could not be started: ${error.message}\n`);
    process.exitCode = 1;
  }
}
