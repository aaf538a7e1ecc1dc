import type { Cell, Measurement, Stage } from "./measure.ts";
import { formatNumber, formatRatio, formatSummary, type Table } from "./report.ts";
import { pairedDifference, pairedRatio, summarize, type RatioSummary, type Summary } from "./statistics.ts";
import type { Subject } from "./subject.ts";

/** A figure of a cell. */
export type Figure = (cell: Cell) => number | undefined;

/** The values of one figure, one for each round. */
export function byRound(
  { cells }: Measurement,
  at: { readonly subject: string; readonly stage: string },
  figure: Figure,
): (number | undefined)[] {
  return cells
    .filter(({ subject, stage }) => subject === at.subject && stage === at.stage)
    .toSorted((a, b) => a.round - b.round)
    .map(figure);
}

/** A figure of a subject compared with a baseline's at a stage. */
export interface Comparison {
  readonly stage: string;
  readonly subject: string;
  readonly baseline: string;
  readonly figure: Figure;
}

/** The ratio to a baseline, round by round. */
export function ratioTo(
  measurement: Measurement,
  { stage, subject, baseline, figure }: Comparison,
): RatioSummary | undefined {
  return pairedRatio(
    byRound(measurement, { subject, stage }, figure),
    byRound(measurement, { subject: baseline, stage }, figure),
  );
}

/** The difference to a baseline, round by round. */
export function differenceTo(
  measurement: Measurement,
  { stage, subject, baseline, figure }: Comparison,
): Summary | undefined {
  return pairedDifference(
    byRound(measurement, { subject, stage }, figure),
    byRound(measurement, { subject: baseline, stage }, figure),
  );
}

/** CPU of the product's own processes. */
export const cpuUs: Figure = (cell) => cell.cpuUs;
/** CPU of the product and its database together. */
export const wholeCpuUs: Figure = (cell) => cell.cpuUs && cell.cpuUs + (cell.databaseCpuUs ?? 0);
/** Completed calls a second. */
export const callsPerSecond: Figure = ({ load }) => load.completed / load.seconds;
/** Chunks a second over all streams. */
export const chunksPerSecond: Figure = ({ load }) => load.chunks / load.seconds;
/** Latency of whole calls, in milliseconds. */
export const latencyMs =
  (q: "p50" | "p99"): Figure =>
  ({ load }) =>
    load.latencyUs[q] / 1000;
/** Time to the first token, in milliseconds. */
export const firstTokenMs =
  (q: "p50" | "p99"): Figure =>
  ({ load }) =>
    load.firstUs[q] / 1000;

/** Cells of a subject's row. `added` is relative to `direct`; it and the ratio need a subject with processes. */
export function createCells(measurement: Measurement, stage: Stage, { name, group }: Pick<Subject, "name" | "group">) {
  const at = { subject: name, stage: stage.name };
  const values = (figure: Figure) => byRound(measurement, at, figure).filter((value) => value !== undefined);
  return {
    values,
    middle: (figure: Figure) => formatNumber(summarize(values(figure))?.median),
    added: (figure: Figure) =>
      group ? formatSummary(differenceTo(measurement, { ...at, baseline: "direct", figure })) : "",
    cpuTimesBare:
      name === "bare proxy" || !group
        ? ""
        : formatRatio(ratioTo(measurement, { ...at, baseline: "bare proxy", figure: cpuUs })),
  };
}

/** Table of ordinary calls at one stage: throughput, CPU, latency, and both relative to the baselines. */
export function callTable(measurement: Measurement, stage: Stage): Table {
  const rows = measurement.subjects.map(({ name, group }) => {
    const { values, middle, added, cpuTimesBare } = createCells(measurement, stage, { name, group });
    return [
      name,
      middle(callsPerSecond),
      formatSummary(summarize(values(cpuUs))),
      group?.home === undefined ? "" : middle((cell) => cell.databaseCpuUs),
      cpuTimesBare,
      middle(latencyMs("p50")),
      middle(latencyMs("p99")),
      added(latencyMs("p50")),
      added(latencyMs("p99")),
    ];
  });
  const columns = [
    "system",
    "calls/s",
    "CPU µs/call",
    "database",
    "CPU × bare",
    "p50 ms",
    "p99 ms",
    "added p50",
    "added p99",
  ];
  return { title: stage.name, columns, rows };
}

/** Processes with less are omitted. */
const shownUsMin = 1;

/** One line per subject with several processes: CPU of each, µs per call, largest first. */
export function processNotes({ subjects, cells }: Measurement, stage: Stage): string[] {
  return subjects.flatMap(({ name }) => {
    const own = cells.filter((cell) => cell.subject === name && cell.stage === stage.name);
    const names = [...new Set(own.flatMap(({ cpuUsByName }) => Object.keys(cpuUsByName)))];
    if (names.length < 2) return [];
    const medians = names.map((process) => {
      return { process, us: summarize(own.map(({ cpuUsByName }) => cpuUsByName[process] ?? 0))?.median ?? 0 };
    });
    const shown = medians.filter(({ us }) => us >= shownUsMin).toSorted((one, other) => other.us - one.us);
    return [`${name}: ${shown.map(({ process, us }) => `${process} ${formatNumber(us)}`).join(", ")}`];
  });
}

/** Table without `direct` and the bare proxy, for scenarios in which they take no part. */
export function ownTable(measurement: Measurement, stage: Stage): Table {
  const table = callTable(measurement, stage);
  const kept = table.columns.map((column) => !/bare|added/.test(column));
  const keep = (row: readonly string[]) => row.filter((_, index) => kept[index]);
  return { ...table, columns: keep(table.columns), rows: table.rows.map(keep) };
}
