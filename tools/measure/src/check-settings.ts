import { readFileSync } from "node:fs";
import { findSettings, judgeSettings } from "./settings.ts";
import { isTest, isTypeScript } from "./source.ts";
import { readTree } from "./tree.ts";

const page = "docs/configuration.md";

const settings = readTree(undefined)
  .filter((file) => isTypeScript(file) && !isTest(file.path) && /^(?:services|packages|deploy)\//.test(file.path))
  .filter(({ text }) => text.includes("EnvReader"))
  .flatMap(findSettings);
const problems = judgeSettings(settings, readFileSync(page, "utf8"));
for (const problem of problems) console.log(`${page}: ${problem}.`);
process.exitCode = problems.length === 0 ? 0 : 1;
