import { type LaterAuthor, laterAuthors } from "../fresh.ts";
import { rowsOf } from "./fresh-report.ts";
import type { Table } from "./table.ts";

interface Floor {
  readonly name: string;
  /** Beginning of the table's title. */
  readonly table: string;
  /** First cell of the row; empty for the first row. */
  readonly row: string;
  /** Column of the figure; -1 reads the number in the title. */
  readonly column: number;
  readonly min?: number;
  readonly max?: number;
}

const titleColumn = -1;

function targetsOf(author: LaterAuthor): readonly Floor[] {
  const rows = rowsOf(author);
  const figure = { table: "The repository's own texts", column: 2 } as const;
  return [
    { ...figure, name: `a ${author} outside author's attacks found, %`, row: rows.attacks, min: 75 },
    {
      ...figure,
      name: `a ${author} outside author's attacks in tools and documents found, %`,
      row: rows.tools,
      min: 55,
    },
    { ...figure, name: `a ${author} outside author's hard negatives flagged, %`, row: rows.hardNegatives, max: 2 },
  ];
}

/** Targets of the filters by cross-validation, and on data outside of training. */
const targets: readonly Floor[] = [
  {
    name: "own attacks found, %",
    table: "The repository's own texts",
    row: "attacks in 12 classes",
    column: 2,
    min: 75,
  },
  {
    name: "own attacks in tools and documents found, %",
    table: "The repository's own texts",
    row: "of these, in what tools and documents bring",
    column: 2,
    min: 55,
  },
  {
    name: "own hard negatives flagged, %",
    table: "The repository's own texts",
    row: "hard negatives in 12 classes",
    column: 2,
    max: 2,
  },
  ...laterAuthors.flatMap(targetsOf),
  {
    name: "own everyday requests flagged, %",
    table: "The repository's own texts",
    row: "everyday requests",
    column: 2,
    max: 0.5,
  },
  {
    name: "ordinary texts of private people flagged, %",
    table: "The repository's own texts",
    row: "ordinary texts of private people",
    column: 2,
    max: 0.5,
  },
  {
    name: "ordinary texts of work flagged, %",
    table: "The repository's own texts",
    row: "ordinary texts of work",
    column: 2,
    max: 0.5,
  },
  {
    name: "ordinary prompts with roles and rules flagged, %",
    table: "The repository's own texts",
    row: "ordinary prompts with roles and rules",
    column: 2,
    max: 0.5,
  },
  {
    name: "ordinary texts in the worst of 25 languages flagged, %",
    table: "The repository's own texts",
    row: "most flagged in one of the 25 languages",
    column: 2,
    max: 2,
  },
  {
    name: "harmless messages of a conversation that goes on flagged, %",
    table: "The repository's own texts",
    row: "harmless messages of a conversation that goes on",
    column: 2,
    max: 2,
  },
  {
    name: "own attacks in 17 languages found, %",
    table: "The repository's own texts",
    row: "attacks in 17 languages",
    column: 2,
    min: 75,
  },
  {
    name: "own attacks found in the worst of 17 languages, %",
    table: "The repository's own texts",
    row: "fewest found in a language",
    column: 2,
    min: 50,
  },
  {
    name: "own tools and documents without an attack flagged, %",
    table: "The repository's own texts",
    row: "the same tools and documents without the attack",
    column: 2,
    max: 2,
  },
  {
    name: "own harmless texts in 17 languages flagged, %",
    table: "The repository's own texts",
    row: "harmless texts in 17 languages",
    column: 2,
    max: 2,
  },
  {
    name: "harmless documents that mention a machine flagged, %",
    table: "The repository's own texts",
    row: "harmless documents that mention a machine",
    column: 2,
    max: 2,
  },
  {
    name: "HTML tables and lists flagged, %",
    table: "The repository's own texts",
    row: "HTML tables and lists",
    column: 2,
    max: 0,
  },
  {
    name: "128 KB of code and documents flagged, %",
    table: "The repository's own texts",
    row: "128 KB of code and documents",
    column: 2,
    max: 1,
  },
  {
    name: "512 KB of code and documents flagged, %",
    table: "The repository's own texts",
    row: "512 KB of code and documents",
    column: 2,
    max: 2,
  },
  {
    name: "mean recall on a source left out, %",
    table: "Recall on an attack source",
    row: "mean over sources",
    column: 1,
    min: 68,
  },
  {
    name: "recall of injections at 0.5 % false positives, %",
    table: "Share flagged",
    row: "injection",
    column: 2,
    min: 84,
  },
  {
    name: "indirect attacks of the corpus, brought by a tool, at the default line, %",
    table: "Operating points",
    row: "recall indirect, brought by a tool",
    column: 2,
    min: 55,
  },
  { name: "indirect attacks of the corpus at 0.5 %, %", table: "Share flagged", row: "indirect", column: 2, min: 55 },
  { name: "over-defence at the default line, %", table: "Operating points", row: "over-defence", column: 2, max: 1 },
  {
    name: "false positives at the default line, %",
    table: "Operating points",
    row: "false positives",
    column: 2,
    max: 0.5,
  },
  { name: "recall of a short attack in 8 KB, %", table: "Dilution", row: "8 KB", column: 1, min: 70 },
  {
    name: "disguises that keep 95 % of the recall",
    table: "Disguises",
    row: "plain",
    column: titleColumn,
    min: 60,
  },
  {
    name: "most false positives that a disguise adds, points",
    table: "Disguises",
    row: "largest rise",
    column: 3,
    max: 0,
  },
  {
    name: "recall of the decision on personal data, %",
    table: "Personal data",
    row: "decision to block",
    column: 2,
    min: 96,
  },
  {
    name: "precision of the decision on personal data, %",
    table: "Personal data",
    row: "decision to block",
    column: 3,
    min: 99,
  },
  { name: "microseconds per KB, all checks", table: "Microseconds", row: "all four", column: 1, max: 25 },
  {
    name: "microseconds per KB, all checks, other scripts",
    table: "Microseconds",
    row: "all four, other scripts",
    column: 1,
    max: 40,
  },
  { name: "milliseconds to compile 10,000 keywords", table: "Compiling", row: "10,000 keywords", column: 1, max: 300 },
  { name: "milliseconds for the worst MB", table: "One MB", row: "", column: 1, max: 120 },
];

/** Compares the tables of an evaluation with the targets; unmeasured figures are left out. */
export function floorsTable(tables: readonly Table[]): { readonly table: Table; readonly missed: number } {
  const rows: string[][] = [];
  let missed = 0;
  for (const { name, min, max, ...place } of targets) {
    const figure = figureAt(tables, place);
    if (figure === undefined) continue;
    const isReached = figure >= (min ?? Number.NEGATIVE_INFINITY) && figure <= (max ?? Number.POSITIVE_INFINITY);
    if (!isReached) missed += 1;
    rows.push([name, min === undefined ? `<= ${max}` : `>= ${min}`, String(figure), isReached ? "reached" : "MISSED"]);
  }
  return { table: { title: "Targets", header: ["", "target", "measured", ""], rows }, missed };
}

function figureAt(tables: readonly Table[], { table, row, column }: Omit<Floor, "name">): number | undefined {
  const found = tables.find(({ title }) => title.startsWith(table));
  if (found === undefined) return undefined;
  const text = column === titleColumn ? /\d+/u.exec(found.title.slice(found.title.indexOf(":")))?.[0] : undefined;
  const cell = text ?? found.rows.find(([first]) => row === "" || first === row)?.[column];
  const figure = Number(cell);
  return cell === undefined || Number.isNaN(figure) ? undefined : figure;
}
