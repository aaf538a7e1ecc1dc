#!/usr/bin/env node
// The gatehouse command line, from the checkout: `npx gatehouse project list`. Needs what `npm start` or `npm test` has built.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { becomeProgram } from "./become-program.mjs";
import { ensureToolchain, repositoryRoot } from "./toolchain.mjs";

/** Commands that run on this machine; all others call a running gateway. */
const LOCAL = {
  keys: ["packages/keys"],
  migrate: ["packages/migrate", "--services", join(repositoryRoot, "services")],
  serve: ["deploy/serve"],
};

const [command, ...rest] = process.argv.slice(2);
const isLocal = Object.hasOwn(LOCAL, command ?? "");
const [folder, ...first] = isLocal ? LOCAL[command] : ["packages/cli"];
const main = join(repositoryRoot, folder, "dist", "main.js");

if (existsSync(main)) {
  const { node } = await ensureToolchain();
  becomeProgram(node, [main, ...first, ...(isLocal ? rest : process.argv.slice(2))], process.env);
} else {
  process.stderr.write("The command line is not built yet: run npm start once.\n");
  process.exitCode = 1;
}
