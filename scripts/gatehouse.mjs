#!/usr/bin/env node
// The gatehouse command line, from the checkout: `npx gatehouse project list`. Needs what `npm start` or `npm test` has built.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { becomeProgram } from "./become-program.mjs";
import { ensureToolchain, repositoryRoot } from "./toolchain.mjs";

const MAIN = join(repositoryRoot, "packages", "cli", "dist", "main.js");

if (existsSync(MAIN)) {
  const { node } = await ensureToolchain();
  becomeProgram(node, [MAIN, ...process.argv.slice(2)], process.env);
} else {
  process.stderr.write("The command line is not built yet: run npm start once.\n");
  process.exitCode = 1;
}
