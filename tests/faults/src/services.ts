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
    if (chosen.length > 0) await runTopology({ replicas, chosen, rate: options.rate, onOutcome });
  }
}

function isChosen(name: string, only: readonly string[]): boolean {
  return only.length === 0 || only.some((part) => name.toLowerCase().includes(part.toLowerCase()));
}

interface TopologyRun {
  readonly replicas: number;
  readonly chosen: readonly Fault[];
  readonly rate: number;
  readonly onOutcome: (outcome: FaultOutcome) => void;
}

async function runTopology({ replicas, chosen, rate, onOutcome }: TopologyRun): Promise<void> {
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
    for (const fault of chosen) {
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
  return { tally, seconds, isReached: fault.bar?.(tally) };
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
