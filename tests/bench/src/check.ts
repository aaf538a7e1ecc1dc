import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "./paths.ts";
import { formatNumber, formatRatio, type ComparableRatio, type Table } from "./report.ts";
import type { ScenarioOutcome } from "./scenario.ts";
import { spread } from "./statistics.ts";

/** Ratios of an earlier run, by scenario and goal. */
export type Ratios = Readonly<Record<string, ComparableRatio>>;

/** The committed ratios with their origin. */
export interface RatioFile {
  readonly commit: string;
  readonly machine: string;
  readonly rounds: number;
  readonly ratios: Ratios;
}

const ratioFile = join(packageFolder, "ratios.json");

/** Smaller relative changes are noise, even if all rounds agree. */
const noiseMin = 0.1;

/** The ratios of a run's goals. */
export function ratiosOf(outcomes: Readonly<Record<string, ScenarioOutcome>>): Ratios {
  return Object.fromEntries(
    Object.entries(outcomes).flatMap(([scenario, { goals }]) =>
      goals.flatMap(({ name, ratio }) => (ratio === undefined ? [] : [[`${scenario}: ${name}`, ratio]])),
    ),
  );
}

/** @throws Error that names the file if it is missing or not JSON */
export function readRatios(): RatioFile {
  try {
    // Only `saveRatios` writes the file.
    return JSON.parse(readFileSync(ratioFile, "utf8")) as RatioFile;
  } catch (err) {
    throw new Error(`${ratioFile} cannot be read. \`pnpm bench --save-ratios\` writes it.`, { cause: err });
  }
}

/** Replaces the measured ratios and keeps the others. @throws Error for a file that is not JSON, which is kept */
export function saveRatios(file: RatioFile): void {
  const earlier = existsSync(ratioFile) ? readRatios().ratios : {};
  const ratios = Object.fromEntries(
    Object.entries({ ...earlier, ...file.ratios }).toSorted(([one], [other]) => one.localeCompare(other)),
  );
  writeFileSync(ratioFile, `${JSON.stringify({ ...file, ratios }, undefined, 2)}\n`);
}

export type Verdict = "same" | "better" | "worse" | "unsure";

/** Result of a run against the committed ratios. */
export interface Checked {
  readonly table: Table;
  /** Names of the ratios that got worse by more than the noise. */
  readonly worse: readonly string[];
}

/** Compares the ratios that both have. */
export function checkRatios(measured: Ratios, committed: RatioFile): Checked {
  const rows = Object.entries(measured).flatMap(([name, ratio]) => {
    const before = committed.ratios[name];
    return before === undefined ? [] : [{ name, ratio, before, verdict: judge(ratio, before) }];
  });
  const table = {
    title: `Against the ratios of commit ${committed.commit} (${committed.machine})`,
    columns: ["ratio", "committed", "measured", "change", "verdict"],
    rows: rows.map(({ name, ratio, before, verdict }) => {
      const change = `${formatNumber((ratio.median / before.median - 1) * 100)} %`;
      return [name, formatRatio(before), formatRatio(ratio), change, verdict];
    }),
    notes: [
      `worse or better: by more than ${noiseMin * 100} % and than the spread of either run's rounds; unsure: the rounds of either run differ too much`,
    ],
  };
  return { table, worse: rows.filter(({ verdict }) => verdict === "worse").map(({ name }) => name) };
}

/** A change counts if it exceeds the spread of the rounds of both runs. */
export function judge(measured: ComparableRatio, committed: ComparableRatio): Verdict {
  const noise = Math.max(noiseMin, spread(measured), spread(committed));
  const change = measured.median / committed.median - 1;
  if (Math.abs(change) > noise) return change > 0 === (committed.better === "more") ? "better" : "worse";
  return measured.unsure || committed.unsure ? "unsure" : "same";
}
