import { parseArgs } from "node:util";

export interface FaultOptions {
  /** Calls per second, over all kinds. */
  readonly rate: number;
  /** Numbers of processes per service, with one run each. */
  readonly replicas: readonly number[];
  /** Parts of the names of the faults to inject; empty: all. */
  readonly only: readonly string[];
  /** Time for which random faults are injected; absent: each one once, in order. */
  readonly minutes: number | undefined;
  /** Seed for the order of random faults. */
  readonly seed: number;
  /** Folder of another built version, for the second process of each service. */
  readonly otherVersion: string | undefined;
  /** File for failed calls and for the processes' output; absent: neither is kept. */
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

/** Parses the command line. @throws Error naming the invalid option */
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
