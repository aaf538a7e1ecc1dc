import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { type Product, processNames, startServices } from "@gatehouse/e2e";
import { type Fault, listFaults } from "./faults.ts";
import { runLoad } from "./load.ts";
import type { FaultOptions } from "./options.ts";
import { type MemoryReading, memorySlope, type ProofOutcome } from "./proof.ts";
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

/** Account of a run, over all its faults. */
export interface RunOutcome {
  readonly replicas: number;
  readonly proof: ProofOutcome;
  /** Megabytes a minute; undefined for a run that was too short to tell. */
  readonly memorySlope: number | undefined;
}

export interface RunListener {
  readonly onOutcome: (outcome: FaultOutcome) => void;
  readonly onRun: (outcome: RunOutcome) => void;
}

/** Load before the fault, and after it is mended. */
const beforeMs = 700;
const afterMs = 1_500;

/** Starts the services as often as the options say, and makes one fault after another under load. */
export async function runFaults(options: FaultOptions, listener: RunListener): Promise<void> {
  for (const replicas of options.replicas) {
    const chosen = listFaults(replicas).filter((fault) => isChosen(fault, options.only));
    if (chosen.length === 0) continue;
    const { minutes, seed, rate } = options;
    const faults =
      minutes === undefined ? chosen : atRandom(chosen, { untilMs: performance.now() + minutes * 60_000, seed });
    await runTopology({ replicas, faults, rate, listener });
  }
}

function isChosen({ name, isLong = false }: Fault, only: readonly string[]): boolean {
  return (only.length === 0 && !isLong) || only.some((part) => name.toLowerCase().includes(part.toLowerCase()));
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
  readonly listener: RunListener;
}

async function runTopology({ replicas, faults, rate, listener }: TopologyRun): Promise<void> {
  const servers = await startServers();
  let product: Product | undefined;
  let traffic: Traffic | undefined;
  try {
    product = await startServices({
      doubled: replicas === 2 ? processNames : [],
      // As a socket unit of systemd does. Of two routers, a client or a balancer takes the one that is there.
      holdsPort: replicas === 1,
      env: {
        DATABASE_URL: servers.databaseUrl,
        EGRESS_ALLOW: "127.0.0.0/8",
        ...(servers.nats === undefined ? {} : { NATS_URL: servers.nats.url }),
      },
    });
    traffic = await prepareTraffic(product);
    await measure({ product, traffic, rate }, async () => await delay(beforeMs));
    const readings: MemoryReading[] = [];
    for (const fault of faults) {
      const outcome = await runFault(fault, { product, servers, traffic, rate });
      readings.push({ atMs: performance.now(), megabytes: outcome.memoryMb });
      listener.onOutcome({ replicas, fault: fault.name, ...outcome });
    }
    listener.onRun({ replicas, proof: await traffic.proof.check(), memorySlope: memorySlope(readings) });
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
  const tally = await measure(running, async (now) => {
    await delay(beforeMs);
    now.inFlightAtFault = now.inFlight;
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

async function measure({ product, traffic, rate }: Running, during: (tally: Tally) => Promise<void>): Promise<Tally> {
  const tally = new Tally();
  const over = new AbortController();
  const load = runLoad({ traffic, urls: product.urls, rate, tally }, over.signal);
  try {
    await during(tally);
  } finally {
    over.abort();
    await load;
  }
  return tally;
}
