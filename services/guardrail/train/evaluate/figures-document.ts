import { cpus, loadavg } from "node:os";
import type { Table } from "./table.ts";

export interface FiguresFacts {
  /** Judged with the committed weights, not by cross-validation. */
  readonly isShipped: boolean;
  readonly corpusSize: number;
}

/** The tables of an evaluation as the Markdown page that is committed; the targets come first. */
export function figuresDocument(tables: readonly Table[], { isShipped, corpusSize }: FiguresFacts): string {
  const first = tables.filter(({ title }) => title === "Targets");
  const rest = tables.filter(({ title }) => title !== "Targets");
  const how = isShipped
    ? "with the committed weights"
    : "by cross-validation in five folds, near-duplicates in one fold";
  const head = `# Figures of the guardrails

Written by \`pnpm --filter @gatehouse/guardrail eval <corpus folder> --write\`; do not edit. Measured ${how}, on ${corpusSize.toLocaleString("en")} labelled
texts that are not part of the repository, with Node ${process.version} on ${cpus()[0]?.model.trim() ?? "an unknown processor"}, one core. Shares are percent. Speed is processor time of the
thread, the best of many rounds; the machine's load was ${loadavg()[0]?.toFixed(0) ?? "unknown"} on ${cpus().length} processors, and a load above the number of processors makes it slower. How the filters work is in [the service's README](../services/guardrail/README.md).
`;
  return [head, ...[...first, ...rest].map(toMarkdown)].join("\n");
}

function toMarkdown({ title, header, rows }: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const rule = header.map((_, column) => (column === 0 ? "---" : "---:"));
  return [`## ${title}`, "", line(header), line(rule), ...rows.map(line), ""].join("\n");
}
