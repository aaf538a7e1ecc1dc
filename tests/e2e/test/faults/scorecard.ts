import type { Expectation, Mode, Setup } from "./fault-cases.ts";
import { type FaultCase, type Observation, type Surface, surfaces } from "./fault-run.ts";

export interface Score {
  readonly case: FaultCase;
  readonly observed: Observation;
  /** Deviations from the expected results; empty: none. */
  readonly problems: readonly string[];
}

/** Tolerance of the times, milliseconds. */
const toleranceMs = 250;

/** Whether an observation took longer than the rules allow; another one shows whether the machine was busy. */
export function isLate({ waitMs }: Expectation, { tookMs }: Observation): boolean {
  return tookMs.some((ms) => ms > waitMs + toleranceMs);
}

/** Compares the observations of a case, except its bill, with the rules. */
export function findProblems(expected: Expectation, observed: Observation): string[] {
  const problems: string[] = [];
  if (observed.results.join() !== expected.results.join()) problems.push(`got ${observed.results.join(", ")}`);
  for (const ms of observed.tookMs) {
    if (ms > expected.waitMs + toleranceMs) problems.push(`took ${ms.toFixed(0)} ms`);
    // Timers may fire a millisecond early.
    if (ms < expected.waitMsMin - 1) problems.push(`took only ${ms.toFixed(0)} ms`);
  }
  if (observed.primaryAsked !== expected.primaryAsked) problems.push(`asked ${observed.primaryAsked} times`);
  return problems;
}

const columns: readonly (readonly [Mode, Setup, string])[] = [
  ["json", "with a backup", "Whole, backup"],
  ["json", "alone", "Whole, alone"],
  ["stream", "with a backup", "Stream, backup"],
  ["stream", "alone", "Stream, alone"],
];

export interface ScorecardOptions {
  /** Adds the longest time of each case. */
  readonly withTimes: boolean;
}

const surfaceTitles: Readonly<Record<Surface, string>> = { chat: "AI Gateway routes", wrapper: "AI Wrapper routes" };

/** Markdown tables, one per surface, and the number of correct cases. */
export function formatScorecard(scores: readonly Score[], options: ScorecardOptions): string {
  const tables = surfaces.map((surface) => {
    const ofSurface = scores.filter((score) => score.case.surface === surface);
    return `## ${surfaceTitles[surface]}\n${formatTable(ofSurface, options)}\n`;
  });
  const right = scores.filter(({ problems }) => problems.length === 0).length;
  return [...tables, `${right} of ${scores.length} cases are as they should be.`, ""].join("\n");
}

/** One line per fault, with the client's results. */
function formatTable(scores: readonly Score[], { withTimes }: ScorecardOptions): string {
  const names = [...new Set(scores.map((score) => score.case.fault.name))];
  const lines = names.map((name) => {
    const ofFault = scores.filter((score) => score.case.fault.name === name);
    const cells = columns.map(([mode, setup]) => {
      const score = ofFault.find((one) => one.case.mode === mode && one.case.setup === setup);
      return score === undefined ? "–" : formatCell(score, withTimes);
    });
    return `| ${[name, ...cells].join(" | ")} |`;
  });
  const titles = ["Fault of the first target", ...columns.map(([, , title]) => title)];
  const head = [`| ${titles.join(" | ")} |`, `|${" --- |".repeat(titles.length)}`];
  return [...head, ...lines, ""].join("\n");
}

function formatCell({ observed, problems }: Score, withTimes: boolean): string {
  const seen = [...new Set(observed.results)].join(", then ");
  const time = withTimes ? ` (${Math.max(...observed.tookMs).toFixed(0)} ms)` : "";
  return problems.length === 0 ? `${seen}${time}` : `**WRONG: ${problems.join("; ")}**`;
}
