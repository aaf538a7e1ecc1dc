import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { type Product, serviceNames, startServices } from "@gatehouse/e2e";
import { type Fault, listFaults } from "./faults.ts";
import { runLoad } from "./load.ts";
import type { FaultOptions } from "./options.ts";
import { type Servers, startServers } from "./servers.ts";
import { Tally } from "./tally.ts";
import { prepareTraffic, type Traffic } from "./traffic.ts";

export interface FaultOutcome {
  readonly replicas: number;
  readonly fault: string;
  readonly tally: Tally;
  readonly seconds: number;
  /** Resident memory of all processes after it, MB; 0 where the platform has no `/proc`. */
  readonly memoryMb: number;
  /** Undefined where the fault has no bar. */
  readonly isReached: boolean | undefined;
}

/** Load before the fault, and after it is mended. */
const beforeMs = 700;
const afterMs = 1_500;

/** Starts the services as often as the options say, and makes one fault after another under load. */
export async function runFaults(options: FaultOptions, onOutcome: (outcome: FaultOutcome) => void): Promise<void> {
  for (const replicas of options.replicas) {
    const chosen = listFaults(replicas).filter(({ name }) => isChosen(name, options.only));
    if (chosen.length === 0) continue;
    const { minutes, seed, rate } = options;
    const faults =
      minutes === undefined ? chosen : atRandom(chosen, { untilMs: performance.now() + minutes * 60_000, seed });
    await runTopology({ replicas, faults, rate, onOutcome });
  }
}

function isChosen(name: string, only: readonly string[]): boolean {
  return only.length === 0 || only.some((part) => name.toLowerCase().includes(part.toLowerCase()));
}

/** Faults in an order that the seed decides, until the time has come. */
export function* atRandom<T>(
  faults: readonly T[],
  { untilMs, seed, now = () => performance.now() }: RandomOrder,
): Generator<T> {
  let state = seed;
  while (now() < untilMs) {
    // Lehmer's generator ("minimal standard", Park and Miller 1988).
    state = (state * 48_271) % (2 ** 31 - 1);
    const fault = faults[state % faults.length];
    if (fault !== undefined) yield fault;
  }
}

interface RandomOrder {
  readonly untilMs: number;
  /** From 1. */
  readonly seed: number;
  readonly now?: () => number;
}

interface TopologyRun {
  readonly replicas: number;
  readonly faults: Iterable<Fault>;
  readonly rate: number;
  readonly onOutcome: (outcome: FaultOutcome) => void;
}

async function runTopology({ replicas, faults, rate, onOutcome }: TopologyRun): Promise<void> {
  const servers = await startServers();
  let product: Product | undefined;
  let traffic: Traffic | undefined;
  try {
    product = await startServices({
      doubled: replicas === 2 ? serviceNames : [],
      env: {
        DATABASE_URL: servers.databaseUrl,
        EGRESS_ALLOW: "127.0.0.0/8",
        ...(servers.nats === undefined ? {} : { NATS_URL: servers.nats.url }),
      },
    });
    traffic = await prepareTraffic(product);
    await measure({ product, traffic, rate }, async () => await delay(beforeMs));
    for (const fault of faults) {
      onOutcome({ replicas, fault: fault.name, ...(await runFault(fault, { product, servers, traffic, rate })) });
    }
  } finally {
    await product?.stop();
    await traffic?.stop();
    await servers.stop();
  }
}

interface Running {
  readonly product: Product;
  readonly traffic: Traffic;
  readonly rate: number;
}

async function runFault(fault: Fault, running: Running & { readonly servers: Servers }) {
  const beganMs = performance.now();
  const tally = await measure(running, async () => {
    await delay(beforeMs);
    await fault.make(running);
    await delay(afterMs);
  });
  const seconds = (performance.now() - beganMs) / 1_000;
  return { tally, seconds, memoryMb: await readMemoryMb(running.product), isReached: fault.bar?.(tally) };
}

async function readMemoryMb({ processes }: Product): Promise<number> {
  const sizes = await Promise.all(
    processes.map(async ({ process: { pid } }) => {
      const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
      return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0);
    }),
  );
  return Math.round(sizes.reduce((sum, kilobytes) => sum + kilobytes, 0) / 1_024);
}

async function measure({ product, traffic, rate }: Running, during: () => Promise<void>): Promise<Tally> {
  const tally = new Tally();
  const over = new AbortController();
  const load = runLoad({ traffic, urls: product.urls, rate, tally }, over.signal);
  try {
    await during();
  } finally {
    over.abort();
    await load;
  }
  return tally;
}
