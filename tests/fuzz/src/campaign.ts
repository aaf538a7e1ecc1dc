import type { Corpus } from "./corpus.ts";
import type { Coverage } from "./coverage.ts";
import type { FuzzTarget } from "./fuzz-target.ts";
import { Mutator, pump } from "./mutate.ts";
import { describe, type Finding, Oracle } from "./oracle.ts";
import type { Random } from "./random.ts";

export interface CampaignResult {
  readonly executions: number;
  readonly pumped: number;
  readonly blocks: number;
  readonly findings: readonly Finding[];
}

export interface CampaignParts {
  readonly target: FuzzTarget;
  readonly corpus: Corpus;
  readonly coverage: Coverage;
  readonly random: Random;
  /** Runs the garbage collector. */
  readonly collectGarbage: () => void;
  /** Called with each input before it runs; present only for the repetition of a run that ended the process. */
  readonly onInput?: ((input: Buffer) => void) | undefined;
}

/** Inputs between two readings of the coverage, bounded so that readings take a small part of the time. */
const batchSizes = { min: 32, max: 4_096 };
const lookShareMax = 0.25;
/** Batches between two pumped inputs. */
const batchesPerPump = 2;
/** Findings of one kind and detail count as one fault. */
const findingsMax = 20;
/** Growth of memory over many runs of the whole corpus that counts as a leak. */
const leakBytesMax = 24 * 1024 * 1024;
const leakRounds = 3;

/** Fuzzes one target until its time is up. */
export class Campaign {
  readonly #parts: CampaignParts;
  readonly #oracle: Oracle;
  readonly #mutator: Mutator;
  readonly #findings = new Map<string, Finding>();
  #current: Buffer = Buffer.alloc(0);
  #executions = 0;
  #pumped = 0;

  constructor(parts: CampaignParts) {
    this.#parts = parts;
    this.#oracle = new Oracle(parts.target);
    this.#mutator = new Mutator(parts.random, parts.target.words ?? []);
  }

  async run(untilMs: number): Promise<CampaignResult> {
    const { corpus, coverage, random } = this.#parts;
    // An exception in a listener of foreign bytes would end a process; here it is a finding.
    const onUncaught = (err: unknown) =>
      this.#keep({
        target: this.#parts.target.name,
        kind: "throws",
        detail: `uncaught: ${describe(err)}`,
        input: this.#current,
      });
    process.on("uncaughtException", onUncaught).on("unhandledRejection", onUncaught);
    for (const seed of corpus.initial) {
      await this.#try(seed);
      if (coverage.takeNew() > 0) corpus.add(seed);
    }
    let batchSize = batchSizes.min;
    for (let batch = 1; performance.now() < untilMs && this.#findings.size < findingsMax; batch += 1) {
      const inputs = Array.from({ length: batchSize }, () => this.#mutator.mutate(corpus.inputs));
      const { ranMs, lookedMs } = await this.#runBatch(inputs);
      if (lookedMs > lookShareMax * ranMs) batchSize = Math.min(batchSizes.max, batchSize * 2);
      if (batch % batchesPerPump === 0) {
        this.#pumped += 1;
        this.#keep(await this.#oracle.judgeGrowth(pump(random.pick(corpus.inputs), random)));
      }
    }
    await this.#lookForLeaks();
    process.off("uncaughtException", onUncaught).off("unhandledRejection", onUncaught);
    return {
      executions: this.#executions,
      pumped: this.#pumped,
      blocks: coverage.blocks,
      findings: [...this.#findings.values()],
    };
  }

  async #try(input: Buffer): Promise<void> {
    this.#parts.onInput?.(input);
    this.#current = input;
    this.#executions += 1;
    this.#keep(await this.#oracle.judge(input));
  }

  async #runBatch(inputs: readonly Buffer[]): Promise<{ readonly ranMs: number; readonly lookedMs: number }> {
    const startedAt = performance.now();
    for (const input of inputs) await this.#try(input);
    const ranAt = performance.now();
    const isNew = this.#parts.coverage.takeNew() > 0;
    const lookedMs = performance.now() - ranAt;
    if (isNew) await this.#findCauses(inputs);
    return { ranMs: ranAt - startedAt, lookedMs };
  }

  /** Finds the inputs of a batch that ran new blocks, by bisection, after forgetting the batch's coverage. */
  async #findCauses(inputs: readonly Buffer[]): Promise<void> {
    const { corpus, coverage } = this.#parts;
    const [only] = inputs;
    if (inputs.length === 1 && only !== undefined) {
      corpus.add(only);
      return;
    }
    coverage.forgetLatest();
    const middle = Math.ceil(inputs.length / 2);
    for (const half of [inputs.slice(0, middle), inputs.slice(middle)]) {
      for (const input of half) await this.#try(input);
      if (coverage.takeNew() > 0) await this.#findCauses(half);
    }
  }

  /** A parser may keep memory once, but not for each input. */
  async #lookForLeaks(): Promise<void> {
    const { corpus, collectGarbage, target } = this.#parts;
    const used: number[] = [];
    for (let round = 0; round < leakRounds; round += 1) {
      for (const input of corpus.inputs) await this.#oracle.judge(input);
      collectGarbage();
      used.push(process.memoryUsage().heapUsed);
    }
    const [first = 0, second = 0, third = 0] = used;
    if (third - second > leakBytesMax && second - first > leakBytesMax) {
      const detail = `${((third - first) / 1_048_576).toFixed(0)} MiB more after two runs of the corpus`;
      this.#keep({ target: target.name, kind: "leaks", detail, input: Buffer.alloc(0) });
    }
  }

  #keep(finding: Finding | undefined): void {
    if (finding === undefined) return;
    const key = finding.kind === "throws" ? finding.detail.replaceAll(/\d+/g, "#") : finding.kind;
    if (!this.#findings.has(key)) this.#findings.set(key, finding);
  }
}
