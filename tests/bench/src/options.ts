import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { builtEntry } from "./paths.ts";

/** Settings of a run. Times are in seconds. */
export interface BenchOptions {
  /** Names of the scenarios to run; empty for all. */
  readonly scenarios: readonly string[];
  readonly rounds: number;
  /** Measured time of one cell (one system at one stage in one round). */
  readonly cellSeconds: number;
  /** Unmeasured load on a system before each cell. */
  readonly warmUpSeconds: number;
  /** Longest load on a system before a scenario's first round, to compile its code; ends when its CPU per call has settled. */
  readonly firstWarmUpSeconds: number;
  readonly quick: boolean;
  readonly seed: number;
  /** Start the product from its sources even when it is built. */
  readonly fromSource: boolean;
  /** Record a CPU profile of the product. */
  readonly profile: boolean;
  readonly generator: "auto" | "node";
  /** Compare the ratios with the committed ones. */
  readonly check: boolean;
  /** Write the ratios to the committed file. */
  readonly saveRatios: boolean;
  /**
   * Topology of the product: one process, a process per service, or both side by side; `co-hosted` has the services twice, once
   * with chat and guardrail in one process.
   */
  readonly topology: Topology;
  /** Root of another built checkout, whose standalone product is measured in the same rounds. */
  readonly against: string | undefined;
  readonly help: boolean;
}

const topologies = ["standalone", "services", "both", "co-hosted"] as const;
export type Topology = (typeof topologies)[number];

/** Text of `--help`. */
export const usage = `pnpm bench [scenario…] [options]

  --rounds <n>      rounds, alternately forwards and backwards (1 to 50; default 3, quick 2)
  --seconds <s>     measured seconds a cell (0.1 to 60; default 2, quick 0.55)
  --quick           everything shortly, without the comparison, in under two minutes: proves that it works, not how fast it is
  --seed <n>        seed of the arrival times (default 1)
  --topology <t>    standalone (default), services (every service as a process), both, or
                    co-hosted (services beside ones with chat and guardrail in one process), for scenarios that know several
  --against <dir>   root of another built checkout of this repository, measured in the same rounds as "other build"
  --source          start the product from its sources even when it is built
  --profile         record a CPU profile of the product and print what cost most
  --node-generator  use the Node load generator and provider even where a C compiler is present
  --check           compare each ratio with the committed one (ratios.json) and name those that got worse by more than the noise; exit code 3
  --save-ratios     write the ratios of this run into ratios.json
  --help`;

/**
 * Reads the command line.
 * @throws Error that names the option that is wrong.
 */
export function parseOptions(argv: readonly string[]): BenchOptions {
  const { values, positionals } = parseArgs({
    args: argv.filter((arg) => arg !== "--"),
    allowPositionals: true,
    options: {
      rounds: { type: "string" },
      seconds: { type: "string" },
      seed: { type: "string" },
      topology: { type: "string", default: "standalone" },
      against: { type: "string" },
      quick: { type: "boolean", default: false },
      source: { type: "boolean", default: false },
      profile: { type: "boolean", default: false },
      "node-generator": { type: "boolean", default: false },
      check: { type: "boolean", default: false },
      "save-ratios": { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const { quick } = values;
  if (values.against !== undefined && (values["save-ratios"] || values.topology === "services"))
    throw new Error(
      "--against compares the standalone product, and its ratios are not saved: leave out --save-ratios and --topology services.",
    );
  return {
    scenarios: positionals,
    rounds: readNumber("--rounds", values.rounds ?? (quick ? "2" : "3"), { min: 1, max: 50, whole: true }),
    cellSeconds: readNumber("--seconds", values.seconds ?? (quick ? "0.55" : "2"), { min: 0.1, max: 60, whole: false }),
    warmUpSeconds: quick ? 0.1 : 0.25,
    firstWarmUpSeconds: quick ? 1 : 20,
    quick,
    seed: readNumber("--seed", values.seed ?? "1", { min: 0, max: 2 ** 32, whole: true }),
    fromSource: values.source,
    profile: values.profile,
    topology: readTopology(values.topology),
    against: readCheckout(values.against),
    generator: values["node-generator"] ? "node" : "auto",
    check: values.check,
    saveRatios: values["save-ratios"],
    help: values.help,
  };
}

function readTopology(text: string): Topology {
  const topology = topologies.find((name) => name === text);
  if (topology !== undefined) return topology;
  throw new Error(`--topology must be one of: ${topologies.join(", ")}.`);
}

/** Relative to the folder of the command, which pnpm passes in `INIT_CWD`. */
function readCheckout(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const folder = resolve(process.env["INIT_CWD"] ?? ".", text);
  if (existsSync(builtEntry(folder, "standalone"))) return folder;
  throw new Error(
    `--against must name the root of a checkout that has been built: there is no ${builtEntry(folder, "standalone")}.`,
  );
}

interface NumberBounds {
  readonly min: number;
  readonly max: number;
  readonly whole: boolean;
}

function readNumber(name: string, text: string, { min, max, whole }: NumberBounds): number {
  const value = Number(text);
  if (text.trim() !== "" && value >= min && value <= max && (!whole || Number.isInteger(value))) return value;
  throw new Error(`${name} must be a ${whole ? "whole " : ""}number from ${min} to ${max}.`);
}
