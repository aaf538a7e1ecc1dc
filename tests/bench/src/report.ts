import type { RatioSummary, Summary } from "./statistics.ts";

/** Results of a scenario, ready to be printed. */
export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Lines below the table. */
  readonly notes?: readonly string[];
}

/** A ratio that is comparable over runs, and its good direction. */
export interface ComparableRatio extends RatioSummary {
  readonly better: "less" | "more";
}

/** A target for a figure. Printed, never asserted. */
export interface Goal {
  readonly name: string;
  readonly limit: string;
  readonly measured: string;
  /** Undefined when it could not be measured. */
  readonly reached: boolean | undefined;
  readonly unsure?: boolean;
  /** Present where `--check` compares the figure with the committed one. */
  readonly ratio?: ComparableRatio;
}

/** Cell without a measurement. */
export const absent = "–";

/** A number with three significant digits. */
export function formatNumber(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return absent;
  const size = Math.abs(value);
  if (size >= 1000) return Math.round(value).toLocaleString("en-US");
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2);
}

/** `median (min–max)`. */
export function formatSummary(summary: Summary | undefined): string {
  if (!summary) return absent;
  const { median, min, max, count } = summary;
  if (count === 1) return formatNumber(median);
  return `${formatNumber(median)} (${formatNumber(min)}–${formatNumber(max)})`;
}

/** `median × (min–max)`, marked where the rounds disagree. */
export function formatRatio(ratio: RatioSummary | undefined): string {
  if (!ratio) return absent;
  const { median, min, max, unsure } = ratio;
  return `${formatNumber(median)} × (${formatNumber(min)}–${formatNumber(max)})${unsure ? " unsure" : ""}`;
}

/** Lays a table out in columns; all but the first are aligned to the right. */
export function renderTable({ title, columns, rows, notes = [] }: Table): string {
  const widths = columns.map((column, index) => Math.max(column.length, ...rows.map((row) => row[index]?.length ?? 0)));
  const renderRow = (row: readonly string[]) =>
    widths
      .map((width, index) => (index === 0 ? (row[index] ?? "").padEnd(width) : (row[index] ?? "").padStart(width)))
      .join("  ")
      .trimEnd();
  const rule = widths.map((width) => "-".repeat(width)).join("  ");
  return [title, "", renderRow(columns), rule, ...rows.map(renderRow), ...notes.map((note) => `  ${note}`)].join("\n");
}

/** One line for each goal. */
export function renderGoals(goals: readonly Goal[]): string {
  const verdict = ({ reached, unsure }: Goal) =>
    reached === undefined ? "not measured" : `${reached ? "reached" : "MISSED"}${unsure ? " (unsure)" : ""}`;
  return goals
    .map((goal) => `${verdict(goal).padEnd(16)}  ${goal.name}: ${goal.measured} (goal: ${goal.limit})`)
    .join("\n");
}
