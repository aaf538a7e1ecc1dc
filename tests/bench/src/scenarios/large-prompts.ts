import { readFileSync } from "node:fs";
import { join } from "node:path";
import { chatCall } from "../call.ts";
import { measure, type Measurement, type Stage } from "../measure.ts";
import { repositoryFolder } from "../paths.ts";
import { formatNumber, type Goal, type Table } from "../report.ts";
import { type Bench, type Scenario, type ScenarioOutcome } from "../scenario.ts";
import { byRound, callsPerSecond, cpuUs, type Figure, latencyMs } from "../stage-table.ts";
import { summarize } from "../statistics.ts";
import { createPolicySubject } from "../systems/policy-subject.ts";
import { type PrivateGatehouse, withPrivateGatehouses } from "../systems/private-gatehouse.ts";

/** Tokens of the prompts, and the letters that each has in these texts. */
const promptTokens: readonly number[] = [50_000, 100_000];
const lettersPerToken = 4;
/** Calls per core and second, with everything the product does. */
const callsPerCoreSecondMin = 150;
/** English prose with some code, of the kind that people ask about. */
const pages = ["architecture", "failover", "allowances", "webhooks", "schemas-and-sessions", "operations"];

/** High rates of large bodies, which would otherwise be measured. */
const unheldBodies = { BODY_BYTES_PER_SECOND: "1000000000", BODY_BURST_BYTES: "1000000000" };
const remembering = "with a memory of texts";
/** Judges every text as a new one. */
const forgetful = "without a memory of texts";
const products = { [forgetful]: { ...unheldBodies, KNOWN_TEXTS_MAX: "0" }, [remembering]: unheldBodies };
const noPolicy = "no policy";
const newTexts = "all policies, texts never seen";
const knownTexts = "all policies, texts of earlier calls";

const stage: Stage = {
  name: "large prompts: closed loop, 8 connections",
  call: chatCall,
  connections: 8,
  unit: "call",
};

/** Prompts as long as a book's chapter under every policy; prose of this repository, which passes all checks. */
export const largePrompts: Scenario = {
  name: "large-prompts",
  summary:
    "prompts of 50,000 and 100,000 tokens under limits, a budget, a schema and four guardrails, never seen and repeated, against none",
  run: async (bench) => await withPrivateGatehouses(bench, products, async (started) => await compare(bench, started)),
};

async function compare(
  bench: Bench,
  started: Readonly<Record<keyof typeof products, PrivateGatehouse>>,
): Promise<ScenarioOutcome> {
  const guardrails = {
    max_content_length: 1_000_000,
    keywords: ["forbidden phrase"],
    pii: { mode: "mask" },
    prompt_injection: { mode: "block" },
  };
  const subjects = [];
  for (const tokens of promptTokens) {
    const body = { message: promptOf(tokens * lettersPerToken) };
    const { gatehouse, group } = started[forgetful];
    const bare = await gatehouse.createSubject({ name: nameOf(tokens, noPolicy), body });
    subjects.push({ ...bare, group });
    for (const [product, name] of [
      [started[forgetful], newTexts],
      [started[remembering], knownTexts],
    ] as const) {
      const guarded = await createPolicySubject(product.gatehouse, { name: nameOf(tokens, name), guardrails, body });
      subjects.push({ ...guarded, group: product.group });
    }
  }
  const measurement = await measure(bench, { subjects, stages: [stage] });
  return {
    tables: [tableOf(measurement)],
    goals: promptTokens.flatMap((tokens) =>
      [newTexts, knownTexts].map((name) => goalOf(measurement, nameOf(tokens, name))),
    ),
    failures: measurement.failures,
    raw: measurement.cells,
  };
}

function nameOf(tokens: number, policies: string): string {
  return `${tokens.toLocaleString("en-US")} tokens, ${policies}`;
}

function promptOf(letters: number): string {
  const prose = pages.map((page) => readFileSync(join(repositoryFolder, "docs", `${page}.md`), "utf8")).join("\n\n");
  return prose.repeat(Math.ceil(letters / prose.length)).slice(0, letters);
}

function tableOf(measurement: Measurement): Table {
  const rows = measurement.subjects.map(({ name }) => {
    const of = (figure: Figure) => formatNumber(medianOf(measurement, name, figure));
    return [name, of(callsPerSecond), of(cpuUs), of(perCoreSecond), of(latencyMs("p50")), of(latencyMs("p99"))];
  });
  const columns = ["call", "calls/s", "CPU µs/call", "calls a core and second", "p50 ms", "p99 ms"];
  return { title: stage.name, columns, rows };
}

const perCoreSecond: Figure = (cell) => cell.cpuUs && 1_000_000 / cell.cpuUs;

function medianOf(measurement: Measurement, subject: string, figure: Figure): number | undefined {
  const values = byRound(measurement, { subject, stage: stage.name }, figure).filter((value) => value !== undefined);
  return summarize(values)?.median;
}

function goalOf(measurement: Measurement, subject: string): Goal {
  const found = medianOf(measurement, subject, perCoreSecond);
  return {
    name: `calls a core and second with ${subject}`,
    limit: `≥ ${callsPerCoreSecondMin}`,
    measured: formatNumber(found),
    reached: found !== undefined && found >= callsPerCoreSecondMin,
  };
}
