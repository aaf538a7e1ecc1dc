import { decideAll, lengthAllowance } from "@gatehouse/guardrail/training";
import type { Example } from "../corpus.ts";
import { encode } from "../encode.ts";
import { crossValidate, fitDecisions, inputsOf, learnWeights, thresholdAt, toObservations } from "../learner.ts";
import { learnLetterStatistics } from "../letter-statistics.ts";
import { percent, type Table } from "./table.ts";

const falsePositiveRate = 0.005;
/** Least number of rows that is meaningful for a source. */
const rowsMin = 10;

/** Trains without one source at a time and tests on it; the threshold comes from cross-validation of the rest. */
export function leftOutTables(corpus: readonly Example[], own: readonly Example[]): Table[] {
  const letterStatistics = learnLetterStatistics(corpus.filter(({ attack }) => !attack));
  const examples = corpus.map((example) => encode(example, letterStatistics));
  const made = own.map((example) => encode(example, letterStatistics));
  const { inputs, unseen, hidden } = crossValidate({ examples, own: made, statistics: letterStatistics });
  const measure = (isOut: (example: Example) => boolean): { flagged: number; count: number } => {
    const kept = examples.map((_, index) => index).filter((index) => !isOut(corpus[index] ?? missing));
    const observations = toObservations(
      kept.map((index) => examples[index] ?? neverEncoded()),
      kept.map((index) => inputs[index] ?? []),
    );
    const decisions = fitDecisions([...observations, ...unseen], hidden);
    const scoreOf = (index: number, values: readonly number[]): number =>
      decideAll(decisions, values) - lengthAllowance(examples[index]?.length ?? 0);
    const harmless = kept.filter((index) => corpus[index]?.attack === false && corpus[index]?.group !== "overdefense");
    const line = thresholdAt(
      harmless.map((index) => scoreOf(index, inputs[index] ?? [])),
      falsePositiveRate,
    );
    const weights = learnWeights([...examples.filter(({ example }) => !isOut(example)), ...made]);
    const out = examples.map((_, index) => index).filter((index) => isOut(corpus[index] ?? missing));
    const flagged = out.filter(
      (index) => scoreOf(index, inputsOf(examples[index] ?? neverEncoded(), weights)) > line,
    ).length;
    return { flagged, count: out.length };
  };
  return [
    {
      title: "Recall on an attack source left out, at 0.5 % false positives",
      header: ["source", "recall"],
      rows: rowsFor(corpus, true, measure),
    },
    {
      title: "False positives on a harmless source left out, at the 0.5 % line",
      header: ["source", "flagged"],
      rows: rowsFor(corpus, false, measure),
    },
  ];
}

type Measure = (isOut: (example: Example) => boolean) => { flagged: number; count: number };

function rowsFor(corpus: readonly Example[], attack: boolean, measure: Measure): string[][] {
  const sizes = new Map<string, number>();
  for (const example of corpus)
    if (example.attack === attack) sizes.set(example.source, (sizes.get(example.source) ?? 0) + 1);
  const shares: number[] = [];
  const rows = [...sizes]
    .filter(([, size]) => size >= rowsMin)
    .map(([source]) => {
      const { flagged, count } = measure((example) => example.attack === attack && example.source === source);
      shares.push(flagged / count);
      return [source, percent(flagged, count)];
    });
  rows.push([
    "mean over sources",
    percent(
      shares.reduce((sum, share) => sum + share, 0),
      shares.length,
    ),
  ]);
  return rows;
}

const missing: Example = { text: "", attack: false, source: "", group: "", cluster: "", lang: "" };

function neverEncoded(): never {
  throw new Error("an example is missing");
}
