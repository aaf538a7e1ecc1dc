import { readFileSync } from "node:fs";
import { findSettings, judgeSettings, readOperationOwners } from "./settings.ts";
import { isTest, isTypeScript } from "./source.ts";
import { readTree } from "./tree.ts";

const page = "docs/configuration.md";

const tree = readTree(undefined);
const owners = tree.filter(({ path }) => path === "packages/trust/src/service-names.ts").flatMap(readOperationOwners);
const settings = tree
  .filter((file) => isTypeScript(file) && !isTest(file.path) && /^(?:services|packages|deploy)\//.test(file.path))
  .filter(({ text }) => text.includes("EnvReader"))
  .flatMap((file) => findSettings(file, owners));
const problems = judgeSettings(settings, readFileSync(page, "utf8"));
for (const problem of problems) console.log(`${page}: ${problem}.`);
process.exitCode = problems.length === 0 ? 0 : 1;
