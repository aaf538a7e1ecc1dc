import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { Campaign } from "./campaign.ts";
import { Corpus } from "./corpus.ts";
import { Coverage } from "./coverage.ts";
import { loadTargets } from "./fuzz-target.ts";
import { Random } from "./random.ts";

/** Job of a process that tries one target. */
export interface TargetJob {
  readonly root: string;
  /** Relative to the root. */
  readonly file: string;
  readonly target: string;
  readonly corpusFolder: string;
  readonly seconds: number;
  readonly seed: number;
  /** File to which each input is written before it runs, to find the one that ends the process. */
  readonly traceFile?: string | undefined;
  readonly savesCorpus: boolean;
}

// Fuzzes one target and sends the findings to its parent. A parser that ends the process ends only this one.

const job = JSON.parse(process.argv[2] ?? "") as TargetJob;
const { gc: collectGarbage } = globalThis;
if (collectGarbage === undefined) throw new Error("Start it with --expose-gc.");
// Loads only this file, since the cost of reading the coverage grows with the loaded code.
const target = (await loadTargets(job.root, job.file)).find(({ name }) => name === job.target);
if (target === undefined) throw new Error(`There is no target ${job.target}.`);
const corpus = new Corpus(join(job.corpusFolder, target.name), target.seeds);
const sources = /\/(?:packages|services)\/[^/]+\/src\//;
const coverage = new Coverage((url) => sources.test(url) || url.includes("/node_modules/yaml/"));
const { traceFile } = job;
const onInput = traceFile === undefined ? undefined : (input: Buffer) => writeFileSync(traceFile, input);
const campaign = new Campaign({
  target,
  corpus,
  coverage,
  random: new Random(job.seed),
  collectGarbage: () => collectGarbage(),
  onInput,
});
const result = await campaign.run(performance.now() + job.seconds * 1_000);
coverage.stop();
if (job.savesCorpus) corpus.save();
const findings = result.findings.map((finding) => ({ ...finding, input: finding.input.toString("base64") }));
process.send?.({ ...result, corpus: corpus.inputs.length, findings }, () => process.exit(0));
