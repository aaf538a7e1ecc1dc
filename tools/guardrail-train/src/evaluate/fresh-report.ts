import type { InjectionModel } from "@gatehouse/guardrail/training";
import { type FreshText, type LaterAuthor, laterAuthors, readFresh, readFreshTwins } from "../fresh.ts";
import { thresholdAt } from "../learner.ts";
import { longTexts, markupTexts } from "./long-texts.ts";
import { scoreText } from "./subject.ts";
import { percent, type Table } from "./table.ts";

const kilobyte = 1024;
/** Sets of harmless texts beside the hard negatives, by their row. */
const harmlessSets = {
  "everyday requests": "everyday",
  "ordinary texts of private people": "ordinary-private",
  "ordinary texts of work": "ordinary-work",
  "ordinary prompts with roles and rules": "ordinary-prompts",
  "ordinary texts in 25 languages": "ordinary-languages",
  "harmless messages of a conversation that goes on": "followups-harmless",
  "harmless texts in 17 languages": "language-harmless",
  "harmless documents that mention a machine": "mentions-harmless",
} as const;
/** Files of `eval/`. The earlier ones were measured during development, so their figures are optimistic. */
const sets = [
  "attacks",
  "hard-negatives",
  ...laterAuthors.flatMap((author) => [`${author}-attacks`, `${author}-hard-negatives`]),
  "earlier-attacks",
  "earlier-hard-negatives",
  "language-attacks",
  ...Object.values(harmlessSets),
];
const points = ["strict", "default", "quiet"] as const;

/** Figures of one model on the repository's own texts: attacks and harmless texts that were never trained on. */
export function freshTables(model: InjectionModel): Table[] {
  const scores = Object.fromEntries(
    sets.map((set) => [
      set,
      readFresh(set).map((text) => ({ ...text, score: scoreText(text.text, model, text.role) })),
    ]),
  );
  const twins = readFreshTwins().map((text) => ({ ...text, score: scoreText(text.text, model, text.role) }));
  const shares = (texts: readonly Scored[]): string[] =>
    points.map((point) => percent(texts.filter(({ score }) => score > model.thresholds[point]).length, texts.length));
  const of = (set: string): readonly Scored[] => scores[set] ?? [];
  const scored = (texts: readonly string[]): Scored[] =>
    texts.map((text) => ({ source: "", role: "", score: scoreText(text, model) }));
  const inLanguage = (lang: string): readonly Scored[] =>
    of("language-attacks").filter(({ source }) => source === lang);
  const languages = [...new Set(of("language-attacks").map(({ source }) => source))];
  const ordinary = [...Map.groupBy(of("ordinary-languages"), ({ source }) => source).values()];
  return [
    {
      title: "The repository's own texts, never learnt from",
      header: ["share flagged", ...points],
      rows: [
        ["attacks in 12 classes", ...shares(of("attacks"))],
        ["of these, in what tools and documents bring", ...shares(of("attacks").filter(({ role }) => role === "tool"))],
        ["the same tools and documents without the attack", ...shares(twins)],
        ["attacks in 17 languages", ...shares(of("language-attacks"))],
        [
          "fewest found in a language",
          ...extremes(
            languages.map((lang) => shares(inLanguage(lang))),
            Math.min,
          ),
        ],
        ["hard negatives in 12 classes", ...shares(of("hard-negatives"))],
        ...laterAuthors.flatMap((author) => rowsAbout(author, of, shares)),
        ["earlier attacks in 12 classes", ...shares(of("earlier-attacks"))],
        [
          "of the earlier ones, in what tools and documents bring",
          ...shares(of("earlier-attacks").filter(({ role }) => role === "tool")),
        ],
        ["earlier hard negatives in 12 classes", ...shares(of("earlier-hard-negatives"))],
        ...Object.entries(harmlessSets).map(([row, set]) => [row, ...shares(of(set))]),
        ["most flagged in one of the 25 languages", ...extremes(ordinary.map(shares), Math.max)],
        ["HTML tables and lists", ...shares(scored(markupTexts(150)))],
        ["128 KB of code and documents", ...shares(scored(longTexts(128 * kilobyte)))],
        ["512 KB of code and documents", ...shares(scored(longTexts(512 * kilobyte)))],
      ],
    },
    curveTable(of),
    classTable("Own attacks by class", of("attacks"), shares),
    classTable("Own hard negatives by class", of("hard-negatives"), shares),
    {
      title: "Own attacks by language",
      header: ["language", ...points],
      rows: languages.map((lang) => [lang, ...shares(inLanguage(lang))]),
    },
  ];
}

/** Names of a later outside author's rows. */
export function rowsOf(author: LaterAuthor) {
  return {
    attacks: `a ${author} outside author's attacks`,
    tools: `of the ${author}'s, in what tools and documents bring`,
    hardNegatives: `a ${author} outside author's hard negatives`,
  } as const;
}

function rowsAbout(
  author: LaterAuthor,
  of: (set: string) => readonly Scored[],
  shares: (texts: readonly Scored[]) => string[],
): string[][] {
  const { attacks, tools, hardNegatives } = rowsOf(author);
  const texts = of(`${author}-attacks`);
  return [
    [attacks, ...shares(texts)],
    [tools, ...shares(texts.filter(({ role }) => role === "tool"))],
    [hardNegatives, ...shares(of(`${author}-hard-negatives`))],
  ];
}

/** Attacks and hard negatives of the same authors. */
const pairs: Readonly<Record<string, readonly [string, string]>> = {
  "an outside author's": ["attacks", "hard-negatives"],
  ...Object.fromEntries(
    laterAuthors.map((author) => [
      `a ${author} outside author's`,
      [`${author}-attacks`, `${author}-hard-negatives`] as const,
    ]),
  ),
  "the earlier author's": ["earlier-attacks", "earlier-hard-negatives"],
};
const hardShares = [0.01, 0.02, 0.03, 0.05, 0.1] as const;

/**
 * Recall at thresholds that flag the same share of an author's hard negatives: figures of the model, independent of the operating
 * point.
 */
function curveTable(of: (set: string) => readonly Scored[]): Table {
  const rows = Object.entries(pairs).flatMap(([name, [attacks, hard]]) => {
    const scores = of(hard).map(({ score }) => score);
    const lines = hardShares.map((share) => thresholdAt(scores, share));
    const found = (texts: readonly Scored[]): string[] =>
      lines.map((line) => percent(texts.filter(({ score }) => score > line).length, texts.length));
    return [
      [`${name} attacks`, ...found(of(attacks))],
      [`${name}, in tools and documents`, ...found(of(attacks).filter(({ role }) => role === "tool"))],
    ];
  });
  return {
    title: "Own attacks found where a share of the same author's hard negatives is flagged",
    header: ["flagged hard negatives", ...hardShares.map((share) => `${share * 100} %`)],
    rows,
  };
}

interface Scored extends Pick<FreshText, "source" | "role"> {
  readonly score: number;
}

function extremes(rows: readonly (readonly string[])[], choose: (...shares: number[]) => number): string[] {
  return points.map((_, column) => choose(...rows.map((row) => Number(row[column]))).toFixed(1));
}

function classTable(title: string, texts: readonly Scored[], shares: (texts: readonly Scored[]) => string[]): Table {
  const classes = [...new Set(texts.map(({ source }) => source))];
  return {
    title,
    header: ["class", ...points],
    rows: classes.map((name) => [name, ...shares(texts.filter(({ source }) => source === name))]),
  };
}
