// npm test: prepares the checkout, runs every check and test, and ends with one line of counts.
import { mkdirSync, rmSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { withChromium } from "./chromium.mjs";
import { passAlone, readFailedTests } from "./failed-tests.mjs";
import { prepare } from "./prepare.mjs";
import { streamStep } from "./stream-step.mjs";
import { countStep, countVitest, formatSummary, markUnreliable, timeFiles } from "./test-summary.mjs";
import { repositoryRoot } from "./toolchain.mjs";
import { endForArguments } from "./usage.mjs";

const USAGE = `Usage: npm test

Prepares the checkout and runs every check and test. It takes no arguments; parts run alone, for example
pnpm test:unit packages/http (README.md, CONTRIBUTING.md).`;

const RESULTS = join(repositoryRoot, ".results");

/** A check counts as one; a vitest project counts its test cases. */
const STEPS = [
  { name: "lint", args: ["lint"] },
  { name: "types", args: ["typecheck"] },
  { name: "contracts", args: ["proto:lint"] },
  { name: "boundaries", args: ["boundaries"] },
  { name: "packages", args: ["packages"] },
  vitestStep("unit"),
  vitestStep("unit-isolated"),
  vitestStep("integration"),
  vitestStep("e2e"),
  vitestStep("e2e-console"),
  vitestStep("e2e-alone"),
  vitestStep("adversary"),
  vitestStep("adversary-alone"),
];

function vitestStep(project) {
  const report = join(RESULTS, `${project}.json`);
  const args = ["exec", "vitest", "run", "--project", project, "--reporter=default", "--reporter=json"];
  return { name: project, args: [...args, `--outputFile.json=${report}`], report };
}

/** Runs a step; failed files of a vitest project run again alone, to see whether they are broken or unreliable. */
async function runStep({ name, args, report }, env) {
  process.stdout.write(`\n── ${name} ──\n`);
  const elapsed = startStopwatch();
  const exitCode = await streamStep("pnpm", args, { cwd: repositoryRoot, env });
  if (report === undefined) {
    return { name, ...countStep(exitCode), failedTests: [], ...elapsed() };
  }
  const failedTests = readFailedTests(report);
  const counts = countVitest(report, { exitCode, failed: failedTests.length });
  const runFile = (file) => {
    process.stdout.write(`\n── ${name}: ${file} again, alone ──\n`);
    const rerun = ["exec", "vitest", "run", "--project", name, file];
    return streamStep("pnpm", rerun, { cwd: repositoryRoot, env });
  };
  const unreliable = await passAlone(failedTests, runFile);
  const files = timeFiles(report);
  return { name, ...(unreliable ? markUnreliable(counts) : counts), failedTests, files, ...elapsed() };
}

/** Measures seconds, and the mean number of busy cores: a step with few is waiting. */
function startStopwatch() {
  const startedAt = Date.now();
  const busyBefore = readBusyMs();
  return () => {
    const elapsedMs = Date.now() - startedAt;
    return { seconds: elapsedMs / 1000, coresBusy: (readBusyMs() - busyBefore) / elapsedMs };
  };
}

function readBusyMs() {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);
}

async function runAll() {
  const { env: prepared } = await prepare();
  const env = await withChromium(prepared);
  rmSync(RESULTS, { recursive: true, force: true });
  mkdirSync(RESULTS, { recursive: true });
  const results = [];
  for (const step of STEPS) {
    results.push(await runStep(step, env));
  }
  return results;
}

if (!endForArguments(USAGE)) {
  try {
    const results = await runAll();
    process.stdout.write(`\n${formatSummary(results)}\n`);
    process.exitCode = results.some(({ failed }) => failed > 0) ? 1 : 0;
  } catch (error) {
    const results = [{ name: "prepare", passed: 0, failed: 1, skipped: 0, failedTests: [], seconds: 0, coresBusy: 0 }];
    process.stdout.write(`\n${error.message}\n\n${formatSummary(results)}\n`);
    process.exitCode = 1;
  }
}
