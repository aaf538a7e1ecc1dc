// npm test: prepares the checkout, runs every check and every test, and ends with one line that counts them.
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { withChromium } from "./chromium.mjs";
import { prepare } from "./prepare.mjs";
import { countStep, countVitest, formatSummary } from "./test-summary.mjs";
import { streamStep } from "./stream-step.mjs";
import { repositoryRoot } from "./toolchain.mjs";

const RESULTS = join(repositoryRoot, ".results");

/** A check counts as one; a vitest project counts its test cases. */
const STEPS = [
  { name: "lint", args: ["lint"] },
  { name: "types", args: ["typecheck"] },
  { name: "contracts", args: ["proto:lint"] },
  { name: "boundaries", args: ["boundaries"] },
  { name: "packages", args: ["packages"] },
  vitestStep("unit"),
  vitestStep("integration"),
  vitestStep("e2e"),
  vitestStep("adversary"),
];

function vitestStep(project) {
  const report = join(RESULTS, `${project}.json`);
  const args = ["exec", "vitest", "run", "--project", project, "--reporter=default", "--reporter=json"];
  return { name: project, args: [...args, `--outputFile.json=${report}`], report };
}

async function runAll() {
  const { env: prepared } = await prepare();
  const env = await withChromium(prepared);
  rmSync(RESULTS, { recursive: true, force: true });
  mkdirSync(RESULTS, { recursive: true });
  const results = [];
  for (const { name, args, report } of STEPS) {
    process.stdout.write(`\n── ${name} ──\n`);
    const startedAt = Date.now();
    const exitCode = await streamStep("pnpm", args, { cwd: repositoryRoot, env });
    const counts = report === undefined ? countStep(exitCode) : countVitest(report, exitCode);
    results.push({ name, ...counts, seconds: (Date.now() - startedAt) / 1000 });
  }
  return results;
}

try {
  const results = await runAll();
  process.stdout.write(`\n${formatSummary(results)}\n`);
  process.exitCode = results.some(({ failed }) => failed > 0) ? 1 : 0;
} catch (error) {
  const results = [{ name: "prepare", passed: 0, failed: 1, skipped: 0, seconds: 0 }];
  process.stdout.write(`\n${error.message}\n\n${formatSummary(results)}\n`);
  process.exitCode = 1;
}
