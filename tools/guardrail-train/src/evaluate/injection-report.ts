import { type Example, foldOf } from "../corpus.ts";
import { hostsByFold, hostText, insertInto } from "../dilute.ts";
import { thresholdAt } from "../learner.ts";
import { disguises } from "./obfuscate.ts";
import { type EvaluationSubject, scoreText } from "./subject.ts";
import { percent, type Table } from "./table.ts";

const falsePositiveRates = [0.01, 0.005, 0.003, 0.001];
const disguisedLengthMax = 1200;
const dilutedLengthMax = 300;
/** Harmless sources of the corpus that are documents, as tools bring them. */
const documentSources: ReadonlySet<string> = new Set(["bipia-email", "bipia-code", "bipia-table", "xquad-context"]);
const groups = ["injection", "injection_multilingual", "injection_weak", "indirect"];

interface Scored {
  readonly example: Example;
  readonly score: number;
}

/** Recall at fixed false-positive rates, per source and per language. */
export function recallTables(corpus: readonly Example[], subject: EvaluationSubject): Table[] {
  const scored = corpus.map((example) => ({ example, score: scoreText(example.text, subject.modelFor(example)) }));
  const harmless = scored.filter(({ example }) => !example.attack && example.group !== "overdefense");
  const lines = falsePositiveRates.map((rate) =>
    thresholdAt(
      harmless.map(({ score }) => score),
      rate,
    ),
  );
  const shares = (wanted: (example: Example) => boolean): string[] => {
    const chosen = scored.filter(({ example }) => wanted(example));
    return lines.map((line) => percent(chosen.filter(({ score }) => score > line).length, chosen.length));
  };
  const header = ["", ...falsePositiveRates.map((rate) => `at ${rate * 100} %`)];
  const attackSources = [
    ...new Set(
      scored
        .filter(({ example }) => example.attack && example.group !== "indirect")
        .map(({ example }) => example.source),
    ),
  ];
  const languages = [
    ...new Set(corpus.filter(({ group }) => group === "injection_multilingual").map(({ lang }) => lang)),
  ];
  return [
    {
      title: "Share flagged at fixed false-positive rates",
      header,
      rows: [
        ...groups.map((group) => [group, ...shares((example) => example.attack && example.group === group)]),
        ["over-defence", ...shares(({ group }) => group === "overdefense")],
        ...attackSources.map((source) => [
          `source ${source}`,
          ...shares((example) => example.attack && example.source === source && example.group !== "indirect"),
        ]),
      ],
    },
    {
      title: "Recall per language (machine-translated attacks)",
      header,
      rows: languages.map((lang) => [
        lang,
        ...shares((example) => example.group === "injection_multilingual" && example.lang === lang),
      ]),
    },
    operatingTable(scored, subject),
  ];
}

function operatingTable(scored: readonly Scored[], subject: EvaluationSubject): Table {
  const names = ["strict", "default", "quiet"] as const;
  const brought = scored
    .filter(({ example: { group, source } }) => group === "indirect" || documentSources.has(source))
    .map(({ example }) => ({ example, score: scoreText(example.text, subject.modelFor(example), "tool") }));
  const share = (wanted: (example: Example) => boolean, from = scored): string[] => {
    const chosen = from.filter(({ example }) => wanted(example));
    return names.map((name) =>
      percent(
        chosen.filter(({ example, score }) => score > subject.modelFor(example).thresholds[name]).length,
        chosen.length,
      ),
    );
  };
  return {
    title: "Operating points",
    header: ["", ...names],
    rows: [
      ["false positives", ...share(({ attack, group }) => !attack && group !== "overdefense")],
      ["over-defence", ...share(({ group }) => group === "overdefense")],
      ...groups.map((group) => [`recall ${group}`, ...share((example) => example.attack && example.group === group)]),
      ["recall indirect, brought by a tool", ...share(({ attack }) => attack, brought)],
      ["false positives of documents, brought by a tool", ...share(({ attack }) => !attack, brought)],
    ],
  };
}

/**
 * Recall of disguised attacks at the default point, relative to that of the same attacks without disguise, and the share of
 * flagged harmless texts in the same disguise.
 */
export function disguiseTable(corpus: readonly Example[], subject: EvaluationSubject): Table {
  const short = corpus.filter(({ text }) => text.length <= disguisedLengthMax);
  const attacks = short.filter(({ group }) => group === "injection");
  const harmless = short.filter(({ attack, group }) => !attack && group !== "overdefense");
  const caught = (texts: readonly Example[], change: (text: string) => string): number =>
    texts.filter((example) => isFlagged(change(example.text), example, subject)).length;
  const plain = caught(attacks, (text) => text);
  const plainFalse = caught(harmless, (text) => text);
  let kept = 0;
  let most = 0;
  const rows = Object.entries(disguises).map(([name, disguise]) => {
    const count = caught(attacks, disguise);
    const isFalse = caught(harmless, disguise);
    if (count >= plain * 0.95) kept += 1;
    most = Math.max(most, isFalse);
    return [name, percent(count, attacks.length), percent(count, plain), percent(isFalse, harmless.length, 2)];
  });
  const total = Object.keys(disguises).length;
  const counts = `${attacks.length} attacks, ${harmless.length} harmless texts`;
  return {
    title: `Disguises at the default point: ${kept} of ${total} keep 95 % of the plain recall (${counts})`,
    header: ["", "recall", "of plain", "false positives"],
    rows: [
      ["plain", percent(plain, attacks.length), "100.0", percent(plainFalse, harmless.length, 2)],
      ...rows,
      ["largest rise", "", "", percent(most - plainFalse, harmless.length, 2)],
    ],
  };
}

/** Recall of short attacks in the middle of harmless text, and the share of that text flagged by itself. */
export function dilutionTable(corpus: readonly Example[], subject: EvaluationSubject): Table {
  const attacks = corpus.filter(({ group, text }) => group === "injection" && text.length <= dilutedLengthMax);
  const pools = hostsByFold(corpus);
  const rows = [0, 1024, 8192].map((size) => {
    const hosts = attacks.map((example, index) => hostText(pools.get(foldOf(example.cluster)) ?? [], size, index));
    const caught = attacks.filter((example, index) =>
      isFlagged(insertInto(hosts[index] ?? "", example.text), example, subject),
    );
    const alone = size === 0 ? [] : attacks.filter((example, index) => isFlagged(hosts[index] ?? "", example, subject));
    return [`${size / 1024} KB`, percent(caught.length, attacks.length), percent(alone.length, attacks.length)];
  });
  return { title: "Dilution at the default point", header: ["around", "recall", "host alone flagged"], rows };
}

function isFlagged(text: string, example: Example, subject: EvaluationSubject): boolean {
  const model = subject.modelFor(example);
  return scoreText(text, model) > model.thresholds.default;
}
