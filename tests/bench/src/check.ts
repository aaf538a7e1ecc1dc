import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "./paths.ts";
import { formatNumber, formatRatio, type ComparableRatio, type Table } from "./report.ts";
import type { ScenarioOutcome } from "./scenario.ts";
import { spread } from "./statistics.ts";

/** Ratios of an earlier run, by scenario and goal. */
export type Ratios = Readonly<Record<string, ComparableRatio>>;

/** The committed ratios and where they come from. */
export interface RatioFile {
  readonly commit: string;
  readonly machine: string;
  readonly rounds: number;
  readonly ratios: Ratios;
}

const ratioFile = join(packageFolder, "ratios.json");

/** A change of less than this share is noise even where all rounds agree. */
const noiseMin = 0.1;

/** The ratios of a run's goals. */
export function ratiosOf(outcomes: Readonly<Record<string, ScenarioOutcome>>): Ratios {
  return Object.fromEntries(
    Object.entries(outcomes).flatMap(([scenario, { goals }]) =>
      goals.flatMap(({ name, ratio }) => (ratio === undefined ? [] : [[`${scenario}: ${name}`, ratio]])),
    ),
  );
}

/** @throws Error that names the file if it is absent or no JSON. */
export function readRatios(): RatioFile {
  try {
    // The file is written by `saveRatios` alone.
    return JSON.parse(readFileSync(ratioFile, "utf8")) as RatioFile;
  } catch (err) {
    throw new Error(`${ratioFile} cannot be read. \`pnpm bench --save-ratios\` writes it.`, { cause: err });
  }
}

/** Replaces the ratios that the run has measured; the others stay. @throws Error for a file that is no JSON, which is kept. */
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

/** A change counts if it is greater than what the rounds of either run differ by. */
export function judge(measured: ComparableRatio, committed: ComparableRatio): Verdict {
  const noise = Math.max(noiseMin, spread(measured), spread(committed));
  const change = measured.median / committed.median - 1;
  if (Math.abs(change) > noise) return change > 0 === (committed.better === "more") ? "better" : "worse";
  return measured.unsure || committed.unsure ? "unsure" : "same";
}
