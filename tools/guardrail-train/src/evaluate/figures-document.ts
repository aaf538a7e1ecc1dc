import { cpus } from "node:os";
import type { Table } from "./table.ts";

interface FiguresFacts {
  /** Whether the committed weights are evaluated, rather than cross-validated ones. */
  readonly isShipped: boolean;
  readonly corpusSize: number;
  /** Mean number of runnable processes while speed was measured. */
  readonly load: number;
}

/** Beginnings of titles in the page's order: targets, then texts outside of training; the rest follows. */
const leading = [
  "Targets",
  "The repository's own texts",
  "Recall on an attack source",
  "False positives on a harmless",
  "Own ",
];

function rankOf({ title }: Table): number {
  const rank = leading.findIndex((beginning) => title.startsWith(beginning));
  return rank < 0 ? leading.length : rank;
}

/** The tables of an evaluation as the committed Markdown page. */
export function figuresDocument(tables: readonly Table[], { isShipped, corpusSize, load }: FiguresFacts): string {
  const ordered = tables.toSorted((left, right) => rankOf(left) - rankOf(right));
  const how = isShipped
    ? "with the committed weights"
    : "by cross-validation in five folds, near-duplicates in one fold";
  const head = `# Figures of the guardrails

Written by \`pnpm --filter @gatehouse/guardrail-train eval <corpus folder> --write\`; do not edit. Measured ${how}, on ${corpusSize.toLocaleString("en")} labelled
texts that are not part of the repository; the repository's own texts (\`tools/guardrail-train/eval\`) are judged with the committed weights, which never learnt from them. With Node ${process.version} on ${cpus()[0]?.model.trim() ?? "an unknown processor"}, one core. Shares are percent. Speed is processor time of the
thread, the best of many rounds; the machine's load was ${load.toFixed(0)} on ${cpus().length} processors, and a load above the number of processors makes it slower. How the filters work is in [the service's README](../services/guardrail/README.md).
`;
  return [head, ...ordered.map(toMarkdown)].join("\n");
}

function toMarkdown({ title, header, rows }: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const rule = header.map((_, column) => (column === 0 ? "---" : "---:"));
  return [`## ${title}`, "", line(header), line(rule), ...rows.map(line), ""].join("\n");
}
