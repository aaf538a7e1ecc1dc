import { readFile } from "node:fs/promises";
import { unlessAborted } from "@gatehouse/async";
import { lapse } from "@gatehouse/async/testing";
import { type Product, processNames, startServices } from "@gatehouse/e2e";
import { type BalancedRouter, Balancer } from "./balancer.ts";
import { prepareClocks } from "./clocks.ts";
import { type Fault, listFaults, type Surroundings } from "./faults.ts";
import { runLoad } from "./load.ts";
import type { FaultOptions } from "./options.ts";
import type { MemoryReading, ProofOutcome } from "./proof.ts";
import { startServers } from "./servers.ts";
import { Tally } from "./tally.ts";
import { prepareTraffic, type Traffic } from "./traffic.ts";

export interface FaultOutcome {
  readonly replicas: number;
  readonly fault: string;
  readonly tally: Tally;
  readonly seconds: number;
  /** Resident memory of all processes afterwards, MB; 0 without `/proc`. */
  readonly memoryMb: number;
  /** Undefined for a fault without a bar. */
  readonly isReached: boolean | undefined;
  /** Reason why the fault was not injected or repaired, which ends the run. */
  readonly error: string | undefined;
  /** Output of the processes meanwhile. */
  readonly output: string;
}

/** Accounting of a run over all its faults. */
export interface RunOutcome {
  readonly replicas: number;
  readonly proof: ProofOutcome;
  /** Readings of memory for its growth in megabytes per minute; undefined slope for a short run. */
  readonly memory: readonly MemoryReading[];
}

export interface RunListener {
  readonly onOutcome: (outcome: FaultOutcome) => void;
  /** Called if the services are still slow when the faults begin. */
  readonly onCold: (replicas: number) => void;
  readonly onRun: (outcome: RunOutcome) => void;
}

/** Interval after which a product counts as warm if no call failed or was slow; the number of intervals is bounded. */
const warmUpWindowMs = 2_000;
const warmUpWindowsMax = 20;
const warmCallMs = 500;
/** Duration of the load before the fault, and after its repair. */
const beforeMs = 700;
const afterMs = 1_500;

/**
 * Starts the services once per number of processes, and injects one fault after another under load. Ends all processes before it
 * returns. @throws the signal's reason
 */
export async function runFaults(options: FaultOptions, listener: RunListener, signal: AbortSignal): Promise<void> {
  for (const replicas of options.replicas) {
    const chosen = listFaults(replicas).filter((fault) => isChosen(fault, options.only));
    if (chosen.length === 0) continue;
    const { minutes, seed, rate, otherVersion } = options;
    const faults =
      minutes === undefined ? chosen : atRandom(chosen, { untilMs: performance.now() + minutes * 60_000, seed });
    await runTopology({ replicas, faults, rate, otherVersion, listener, signal });
  }
}

function isChosen({ name, isLong = false }: Fault, only: readonly string[]): boolean {
  return (only.length === 0 && !isLong) || only.some((part) => name.toLowerCase().includes(part.toLowerCase()));
}

/** Faults in a seeded random order, until the time is up. */
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
  readonly otherVersion: string | undefined;
  readonly listener: RunListener;
  readonly signal: AbortSignal;
}

async function runTopology({ replicas, faults, rate, otherVersion, listener, signal }: TopologyRun): Promise<void> {
  const servers = await startServers();
  const clocks = await prepareClocks();
  let product: Product | undefined;
  let traffic: Traffic | undefined;
  let balancer: Balancer | undefined;
  try {
    product = await startServices({
      doubled: replicas === 2 ? processNames : [],
      otherVersion,
      // Like a socket unit of systemd. Of two routers, the client or balancer chooses the living one.
      holdsPort: replicas === 1,
      env: {
        DATABASE_URL: servers.databaseUrl,
        EGRESS_ALLOW: "127.0.0.0/8",
        ...clocks.env,
        ...(servers.nats === undefined ? {} : { NATS_URL: servers.nats.url }),
      },
    });
    signal.throwIfAborted();
    traffic = await prepareTraffic(product);
    balancer = new Balancer(routersOf(product));
    const running = { product, balancer, traffic, rate };
    if (!(await unlessAborted(warmUp(running), signal))) listener.onCold(replicas);
    const readings: MemoryReading[] = [];
    for (const fault of faults) {
      const outcome = await unlessAborted(runFault(fault, { ...running, servers, clocks }), signal);
      readings.push({ atMs: performance.now(), megabytes: outcome.memoryMb });
      listener.onOutcome({ replicas, fault: fault.name, ...outcome });
      if (outcome.error !== undefined) break;
    }
    listener.onRun({ replicas, proof: await traffic.proof.check(), memory: readings });
  } finally {
    balancer?.stop();
    await product?.stop();
    await traffic?.stop();
    await servers.stop();
    await clocks.remove();
  }
}

/**
 * Sends calls until they are fast: twenty processes that compile their code share few cores, which would hide the fault. @returns
 * whether they are
 */
async function warmUp(running: Running): Promise<boolean> {
  for (let windows = 1; windows <= warmUpWindowsMax; windows += 1) {
    const { failed, brokenStreams, slowestMs } = await measure(
      running,
      async () => await lapse(warmUpWindowMs, "load until calls are fast"),
    );
    if (failed + brokenStreams === 0 && slowestMs < warmCallMs) return true;
  }
  return false;
}

/** The second router follows the first process of each service. */
function routersOf({ urls, metricsUrls }: Product): readonly BalancedRouter[] {
  return urls.map((url, at) => ({ url, operationsUrl: metricsUrls[at * processNames.length] ?? "" }));
}

interface Running {
  readonly product: Product;
  readonly balancer: Balancer;
  readonly traffic: Traffic;
  readonly rate: number;
}

async function runFault(fault: Fault, running: Running & Surroundings) {
  const beganMs = performance.now();
  const { processes } = running.product;
  const printedBefore = processes.map((child) => child.output().length);
  let error: string | undefined;
  const tally = await measure(running, async (now) => {
    await lapse(beforeMs, "load before the fault");
    now.inFlightAtFault = now.inFlight;
    await fault.make(running).catch((err: unknown) => (error = err instanceof Error ? err.message : String(err)));
    await lapse(afterMs, "load after the fault");
  });
  const seconds = (performance.now() - beganMs) / 1_000;
  const output = processes.map((child, at) => child.output().slice(printedBefore[at])).join("");
  const isReached = error === undefined ? fault.bar?.(tally) : false;
  return { tally, seconds, memoryMb: await readMemoryMb(running.product), isReached, error, output };
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

async function measure({ traffic, balancer, rate }: Running, during: (tally: Tally) => Promise<void>): Promise<Tally> {
  const tally = new Tally();
  const over = new AbortController();
  const load = runLoad({ traffic, balancer, rate, tally }, over.signal);
  try {
    await during(tally);
  } finally {
    over.abort();
    await load;
  }
  return tally;
}
