// npm start: prepares the checkout and becomes the product. Arguments are handed on to it.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { becomeProgram } from "./become-program.mjs";
import { prepare } from "./prepare.mjs";
import { repositoryRoot } from "./toolchain.mjs";

const MAIN = join(repositoryRoot, "deploy", "standalone", "dist", "bundle", "main.js");

try {
  const { node, env } = await prepare();
  if (!existsSync(MAIN)) {
    throw new Error(`The build left no ${MAIN}.`);
  }
  const compileCache = join(repositoryRoot, "node_modules", ".cache", "node-compile");
  becomeProgram(node, [MAIN, ...process.argv.slice(2)], { NODE_COMPILE_CACHE: compileCache, ...env });
} catch (error) {
  process.stderr.write(`Gatehouse could not be started: ${error.message}\n`);
  process.exitCode = 1;
}
