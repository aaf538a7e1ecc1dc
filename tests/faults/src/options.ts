import { parseArgs } from "node:util";

export interface FaultOptions {
  /** Calls a second, over all kinds. */
  readonly rate: number;
  /** Processes of each service: one run for each number. */
  readonly replicas: readonly number[];
  /** Names of the faults to make; a part of a name is enough. Empty for all. */
  readonly only: readonly string[];
  /** Time for which faults are made at random; absent: each is made once, in its order. */
  readonly minutes: number | undefined;
  /** Decides the order of random faults. */
  readonly seed: number;
  /** Folder of another version, built: the second process of each service is of it. */
  readonly otherVersion: string | undefined;
  /** File for failed calls and for what the processes print; absent: neither is kept. */
  readonly log: string | undefined;
  readonly help: boolean;
}

export const usage = `pnpm faults services [options]

  --rate <n>          calls a second (1 to 1000; default 200)
  --replicas <list>   processes of each service: 1, 2 or 1,2 (default 1,2)
  --only <list>       faults whose name contains one of these, such as chat or SIGTERM,NATS
  --minutes <n>       faults at random for so long (1 to 120), instead of each once
  --seed <n>          decides their order (default 1)
  --other <folder>    the second process of each service is of this built checkout of another version
  --log <file>        failed calls, and the lines that the processes print from each fault on
  --help

Exits with 1 where a bar is missed.`;

const rateMax = 1_000;
const replicasMax = 2;
const minutesMax = 120;
const seedMax = 2 ** 31 - 1;

/** Reads the command line. @throws Error that names the option that is wrong. */
export function parseFaultOptions(argv: readonly string[]): FaultOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      rate: { type: "string", default: "200" },
      replicas: { type: "string", default: "1,2" },
      only: { type: "string", default: "" },
      minutes: { type: "string" },
      seed: { type: "string", default: "1" },
      other: { type: "string" },
      log: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  return {
    rate: readWhole("--rate", values.rate, rateMax),
    replicas: values.replicas.split(",").map((text) => readWhole("--replicas", text, replicasMax)),
    only: values.only.split(",").filter((name) => name !== ""),
    minutes: values.minutes === undefined ? undefined : readWhole("--minutes", values.minutes, minutesMax),
    seed: readWhole("--seed", values.seed, seedMax),
    otherVersion: values.other,
    log: values.log,
    help: values.help,
  };
}

function readWhole(name: string, text: string, max: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > max)
    throw new Error(`${name} takes whole numbers from 1 to ${max}.`);
  return value;
}
