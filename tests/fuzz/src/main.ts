import { fork } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { nameOf } from "./corpus.ts";
import { loadTargets, targetFiles } from "./fuzz-target.ts";
import type { FindingKind } from "./oracle.ts";
import type { TargetJob } from "./run-target.ts";

interface TargetReport {
  readonly executions: number;
  readonly pumped: number;
  readonly blocks: number;
  readonly corpus: number;
  readonly findings: readonly {
    readonly target: string;
    readonly kind: FindingKind;
    readonly detail: string;
    readonly input: string;
  }[];
}

const root = fileURLToPath(new URL("../../..", import.meta.url));
const corpusFolder = fileURLToPath(new URL("../corpus", import.meta.url));
const findingsFolder = join(root, ".results", "fuzz");
const secondsMin = 2;
/** Time beyond its own after which a target counts as hanging. */
const graceMs = 120_000;

const { values } = parseArgs({
  // pnpm passes `--` on.
  args: process.argv.slice(2).filter((word) => word !== "--"),
  options: {
    minutes: { type: "string", default: "1" },
    target: { type: "string", default: "" },
    seed: { type: "string", default: "11" },
    keep: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});
if (values.help) {
  console.log(`pnpm fuzz [--minutes 1] [--target <part of a name>] [--seed 11] [--keep]

  --minutes  time of all targets together
  --target   the targets whose names have this in them
  --seed     another series of inputs
  --keep     keeps inputs that reached new code in tests/fuzz/corpus`);
  process.exit(0);
}

/** Fuzzes one target in a separate process; one that ends is repeated with a trace to find the input. */
async function tryTarget(job: TargetJob): Promise<TargetReport> {
  const report = await runOnce(job);
  if (report !== undefined) return report;
  const traceFile = join(findingsFolder, `${job.target}.trace`);
  const again = await runOnce({ ...job, traceFile, savesCorpus: false });
  const input = readFileSync(traceFile).toString("base64");
  const detail = again === undefined ? "the process ended" : "the process ended once, and not again with the same seed";
  return {
    executions: 0,
    pumped: 0,
    blocks: 0,
    corpus: 0,
    findings: [{ target: job.target, kind: "crashes", detail, input }],
  };
}

async function runOnce(job: TargetJob): Promise<TargetReport | undefined> {
  const child = fork(fileURLToPath(new URL("run-target.ts", import.meta.url)), [JSON.stringify(job)], {
    execArgv: ["--conditions=@gatehouse/source", "--expose-gc"],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), job.seconds * 1_000 + graceMs);
  return await new Promise((resolve) => {
    let report: TargetReport | undefined;
    child.once("message", (message) => {
      report = message as TargetReport;
    });
    child.once("exit", () => {
      clearTimeout(timer);
      resolve(report);
    });
  });
}

function write({ findings }: TargetReport): void {
  for (const { target, kind, detail, input } of findings) {
    const bytes = Buffer.from(input, "base64");
    const file = join(findingsFolder, `${target}.${kind}.${nameOf(bytes)}`);
    writeFileSync(file, bytes);
    console.log(`  ${kind}: ${detail}\n    ${bytes.length} bytes, kept in ${file}`);
  }
}

mkdirSync(findingsFolder, { recursive: true });
const chosen: { readonly file: string; readonly target: string }[] = [];
for (const file of targetFiles(root)) {
  for (const { name } of await loadTargets(root, file)) {
    if (chosen.some(({ target }) => target === name)) throw new Error(`${file}: there are two targets named ${name}.`);
    if (name.includes(values.target)) chosen.push({ file, target: name });
  }
}
if (chosen.length === 0) throw new Error(`No target's name has "${values.target}" in it.`);
const seconds = Math.max(secondsMin, (Number(values.minutes) * 60) / chosen.length);
let found = 0;
console.log(`${chosen.length} targets, ${seconds.toFixed(0)} s each, seed ${values.seed}`);
for (const { file, target } of chosen) {
  const report = await tryTarget({
    root,
    file,
    target,
    corpusFolder,
    seconds,
    seed: Number(values.seed),
    savesCorpus: values.keep,
  });
  const { executions, pumped, blocks, corpus, findings } = report;
  console.log(
    `${target.padEnd(28)} ${String(executions).padStart(9)} runs ${String(pumped).padStart(6)} pumped ${String(blocks).padStart(6)} blocks ${String(corpus).padStart(5)} kept ${String(findings.length).padStart(3)} findings`,
  );
  write(report);
  found += findings.length;
}
process.exitCode = found === 0 ? 0 : 1;
