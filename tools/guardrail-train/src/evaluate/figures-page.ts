import type { Table } from "./table.ts";

/** Title of the table that says when and where each part was measured. */
export const circumstancesTitle = "Measured";

/** Beginnings of titles in the page's order: targets, then texts outside of training; the rest follows, and last the circumstances. */
const leading = [
  "Targets",
  "The repository's own texts",
  "Recall on an attack source",
  "False positives on a harmless",
  "Own ",
];

function rankOf({ title }: Table): number {
  if (title === circumstancesTitle) return leading.length + 1;
  const rank = leading.findIndex((beginning) => title.startsWith(beginning));
  return rank < 0 ? leading.length : rank;
}

/** The tables of an evaluation by cross-validation as the committed Markdown page. */
export function figuresPage(tables: readonly Table[], corpusSize: number): string {
  const ordered = tables.toSorted((left, right) => rankOf(left) - rankOf(right));
  const head = `# Figures of the guardrails

Written by \`pnpm --filter @gatehouse/guardrail-train eval <corpus folder> --write\`; do not edit. Measured by cross-validation in five folds, near-duplicates in one fold, on ${corpusSize.toLocaleString("en")} labelled
texts that are not part of the repository; the repository's own texts (\`tools/guardrail-train/eval\`) are judged with the committed weights, which never learnt from them. Shares are percent. Speed is processor time of one
thread, the best of many rounds; other work on the machine makes it slower. The last table says when and where each part was measured. How the filters work is in [the service's README](../services/guardrail/README.md).
`;
  return [head, ...ordered.map(toMarkdown)].join("\n");
}

function toMarkdown({ title, header, rows }: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const rule = header.map((_, column) => (column === 0 ? "---" : "---:"));
  return [`## ${title}`, "", line(header), line(rule), ...rows.map(line), ""].join("\n");
}

/** The tables of a page that {@link figuresPage} wrote. */
export function readFiguresPage(page: string): Table[] {
  const [, ...sections] = page.split(/^## /mu);
  return sections.map((section) => {
    const [title = "", ...lines] = section.trim().split("\n");
    const [header = [], , ...rows] = lines.filter((line) => line.startsWith("|")).map(cellsOf);
    return { title, header, rows };
  });
}

function cellsOf(line: string): string[] {
  return line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
}

/** Puts new tables in place of those with the same title up to a colon, behind which titles have figures. */
export function renewTables(last: readonly Table[], renewing: readonly Table[]): Table[] {
  const renewed = new Map([...last, ...renewing].map((table) => [table.title.split(":")[0], table]));
  return [...renewed.values()];
}
