import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { checkRatios, ratiosOf, readRatios, saveRatios } from "./check.ts";
import { killAll } from "./child-process.ts";
import { readMachineFacts } from "./machine.ts";
import { prepareToolkit } from "./native.ts";
import { parseOptions, usage, type BenchOptions } from "./options.ts";
import { repositoryFolder, resultsFolder } from "./paths.ts";
import { canReadUsage } from "./process-usage.ts";
import { summarizeProfiles } from "./profile.ts";
import { renderTable } from "./report.ts";
import { runScenario, startBench } from "./run-bench.ts";
import type { Scenario, ScenarioOutcome } from "./scenario.ts";
import { scenarios } from "./scenarios/index.ts";

process.once("exit", killAll);
for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)
  process.once(signal, () => process.exit(code));

try {
  process.exitCode = await main(parseOptions(process.argv.slice(2)));
} catch (err) {
  console.error(err instanceof Error ? withCauses(err) : err);
  process.exitCode = 2;
}

/** Returns the exit code: 1 for a wrong answer, 3 where `--check` found a worse ratio. Missed goals do not count. */
async function main(options: BenchOptions): Promise<number> {
  const chosen = choose(options.scenarios);
  if (options.help) {
    console.log(
      `${usage}\n\nScenarios:\n${scenarios.map(({ name, summary }) => `  ${name.padEnd(16)} ${summary}`).join("\n")}`,
    );
    return 0;
  }
  const startedAt = performance.now();
  const folder = join(resultsFolder, new Date().toISOString().replaceAll(/[:.]/g, "-"));
  mkdirSync(folder, { recursive: true });
  const toolkit = await prepareToolkit(options.generator);
  const context = { toolkit, options, progress: showProgress };
  const { bench, descriptions, stop } = await startBench(context, {
    product: true,
    comparison: !options.quick,
    logFolder: folder,
  });
  const facts = readMachineFacts(toolkit, descriptions);
  const outcomes: Record<string, ScenarioOutcome> = {};
  try {
    printFacts(facts);
    if (!bench.gatehouse && !bench.services)
      print("The product is not there yet (deploy/standalone): only the others are measured.");
    for (const scenario of chosen) outcomes[scenario.name] = await runScenario(scenario, bench, print);
  } finally {
    showProgress("stopping");
    await stop();
  }
  if (bench.gatehouse?.profileFolder !== undefined) print(`\n${summarizeProfiles(bench.gatehouse.profileFolder)}`);
  const file = join(folder, "results.json");
  writeFileSync(file, `${JSON.stringify({ facts, options, outcomes }, undefined, 1)}\n`);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  print(`\n${seconds} s. Raw results: ${relative(repositoryFolder, file)}`);
  const worse = compareRatios(options, facts, outcomes);
  const isWrong = Object.values(outcomes).some(({ failures }) => failures.some(({ isForeign }) => !isForeign));
  return isWrong ? 1 : worse.length > 0 ? 3 : 0;
}

/** Compares with the committed ratios and replaces them, if requested. @returns the ratios that got worse */
function compareRatios(
  { check, saveRatios: save, rounds }: BenchOptions,
  { commit, cpu, cores, node }: ReturnType<typeof readMachineFacts>,
  outcomes: Readonly<Record<string, ScenarioOutcome>>,
): readonly string[] {
  const ratios = ratiosOf(outcomes);
  const { table, worse } = check ? checkRatios(ratios, readRatios()) : { table: undefined, worse: [] };
  if (table) print(`\n${renderTable(table)}\n\n${worse.length} of ${table.rows.length} ratios got worse.`);
  if (save) saveRatios({ commit, machine: `${cpu}, ${cores} cores, node ${node}`, rounds, ratios });
  return worse;
}

function choose(names: readonly string[]): readonly Scenario[] {
  const unknown = names.filter((name) => !scenarios.some((scenario) => scenario.name === name));
  if (unknown.length > 0) {
    throw new Error(
      `No such scenario: ${unknown.join(", ")}. There are: ${scenarios.map(({ name }) => name).join(", ")}.`,
    );
  }
  return names.length === 0 ? scenarios : scenarios.filter(({ name }) => names.includes(name));
}

function printFacts(facts: ReturnType<typeof readMachineFacts>): void {
  print(`${facts.cpu}, ${facts.cores} cores, ${facts.system}, node ${facts.node}, commit ${facts.commit}`);
  print(`Load generator: ${facts.generator}. Load average before the run: ${facts.loadAverage1m.toFixed(2)}.`);
  for (const system of facts.systems) print(`  ${system}`);
  if (!canReadUsage) print("CPU and memory cannot be read on this platform; only throughput and latency are measured.");
}

function print(text: string): void {
  if (process.stderr.isTTY) process.stderr.write("\r\u001B[K");
  console.log(text);
}

/** Overwrites one line; silent without a terminal. */
function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${text}`);
}

function withCauses(err: Error): string {
  return err.cause instanceof Error ? `${err.message}: ${withCauses(err.cause)}` : err.message;
}
