import { setTimeout as delay } from "node:timers/promises";
import type { Product } from "@gatehouse/e2e";
import { slownessOf } from "@gatehouse/e2e/reference-workload";
import { attemptPausesMs, idleMs, residentGrowthBytesMax, stallMsMax } from "./bars.ts";
import { type Probe, type Stall, startProbe } from "./probe.ts";
import { CpuMeter, readMemory, resetPeak } from "./process-figures.ts";

/** The cost of one attack to the product. */
export interface Cost {
  /**
   * CPU of threads that run the product's code, including collections, but without V8's helper threads, whose work is not
   * attributable.
   */
  readonly cpuMs: number;
  readonly engineCpuMs: number;
  /** Time of the main thread in full garbage collections, whose cause is not attributable either. */
  readonly collectionMs: number;
  readonly stall: Stall;
  readonly residentGrowthBytes: number;
}

/** An interval without an attack, for comparison. */
export interface Idle {
  readonly stall: Stall;
  /** Factor by which the bar for stalls is scaled: see {@link MeterOptions.scalesBar}. */
  readonly slowness: number;
}

export interface MeterOptions {
  /**
   * Whether the bar for stalls grows, at most threefold, with the time of a fixed workload in the same interval
   * (`@gatehouse/e2e/reference-workload`). The bar limits work in one piece, of which a slow or shared core does less per
   * millisecond; unscaled, the suite would fail on such a machine with the same product. Work that is too long on the reference
   * machine is too long on the other by the same factor, so no fault is hidden. The generator's long form, which reports figures,
   * does not scale.
   */
  readonly scalesBar: boolean;
}

/** Observes one process of the product from outside. */
export interface Meter {
  /** Runs an attack and waits until the product is quiet again. @throws Error when the product ends, or works for a minute */
  measure(attack: () => Promise<unknown>): Promise<Cost>;
  /**
   * Runs an attack and compares it with an idle interval. Repeats suspicious attempts, since other programs share the machine,
   * while a fault of the product shows each time. @throws Error when every attempt exceeds a bar
   */
  expectHarmless(attack: () => Promise<unknown>): Promise<Cost>;
  /** Measures an interval without an attack; 0: returns the last one. */
  idle(ms: number): Promise<Idle>;
  stop(): Promise<void>;
}

/** CPU per step below which the product counts as quiet. */
const quietCpuMs = 4;
const quietStepMs = 20;
const quietWithinMs = 60_000;

export async function openMeter(
  { url, operationsUrl, processes }: Product,
  { scalesBar }: MeterOptions,
): Promise<Meter> {
  const [child] = processes;
  const pid = child?.process.pid;
  if (child === undefined || pid === undefined) throw new Error("The product has no process to watch.");
  const probe = await startProbe({ url, pid });
  const cpu = new CpuMeter(pid);
  const subject: Subject = {
    metricsUrl: `${operationsUrl}/metrics`,
    pid,
    probe,
    cpu,
    hasEnded: () => child.process.exitCode !== null || child.process.signalCode !== null,
  };
  const measure = async (attack: () => Promise<unknown>) => await measureOnce(subject, attack);
  const idleFor = async (ms: number): Promise<Idle> => {
    const slowness = scalesBar ? slownessOf(await probe.timeReferenceWorkload()) : 1;
    return { stall: await probe.idle(ms), slowness };
  };
  let lastIdle = await idleFor(idleMs);
  const idle = async (ms: number) => {
    if (ms > 0) lastIdle = await idleFor(ms);
    return lastIdle;
  };
  return {
    measure,
    idle,
    async expectHarmless(attack) {
      const breaches: string[] = [];
      for (const pauseMs of attemptPausesMs) {
        const before = await idle(pauseMs);
        const cost = await measure(attack);
        const breach = describeBreach(cost, before);
        if (breach === undefined) return cost;
        breaches.push(breach);
      }
      throw new Error(`Every attempt broke a bar:\n${breaches.join("\n")}`);
    },
    stop: async () => await probe.stop(),
  };
}

interface Subject {
  readonly metricsUrl: string;
  readonly pid: number;
  readonly probe: Probe;
  readonly cpu: CpuMeter;
  readonly hasEnded: () => boolean;
}

async function measureOnce(subject: Subject, attack: () => Promise<unknown>): Promise<Cost> {
  const { pid, probe, cpu } = subject;
  await untilQuiet(subject);
  // Read in the same window as the CPU time, so that earlier collections do not count.
  const collectedBefore = await readCollectionMs(subject);
  const [cpuBefore, { residentBytes }] = [cpu.read(), readMemory(pid)];
  resetPeak(pid);
  const { stall } = await probe.watch(async () => {
    await attack();
    await untilQuiet(subject);
  });
  if (subject.hasEnded()) throw new Error("The product ended.");
  const cpuAfter = cpu.read();
  const { peakBytes } = readMemory(pid);
  return {
    cpuMs: cpuAfter.programMs - cpuBefore.programMs,
    collectionMs: (await readCollectionMs(subject)) - collectedBefore,
    engineCpuMs: cpuAfter.engineMs - cpuBefore.engineMs,
    stall,
    residentGrowthBytes: Math.max(0, peakBytes - residentBytes),
  };
}

/** Collections reported so far, without the young generation's, which grow with the work. */
async function readCollectionMs({ metricsUrl }: Subject): Promise<number> {
  const text = await (await fetch(metricsUrl)).text();
  const sums = text.matchAll(/^nodejs_gc_duration_seconds_sum\{kind="(?:major|incremental)"[^}]*\} (\S+)$/gm);
  return Array.from(sums, ([, seconds]) => Number(seconds) * 1_000).reduce((sum, ms) => sum + ms, 0);
}

/** Waits until the product has finished, since an attack may outlive its connection. */
async function untilQuiet({ cpu, hasEnded }: Subject): Promise<void> {
  const until = performance.now() + quietWithinMs;
  let last = cpu.read().programMs;
  while (!hasEnded()) {
    await delay(quietStepMs);
    const now = cpu.read().programMs;
    if (now - last < quietCpuMs) return;
    last = now;
    if (performance.now() > until) throw new Error(`The product was still at work after ${quietWithinMs} ms.`);
  }
  throw new Error("The product ended.");
}

/** Bars that a cost exceeds, in words with figures; undefined: none. */
export function describeBreach({ stall, residentGrowthBytes }: Cost, idle: Idle): string | undefined {
  const breaches: string[] = [];
  const { slowness } = idle;
  const idleMs = idle.stall.longestMs;
  if (stall.longestOwnMs - idleMs > stallMsMax * slowness) {
    const waited = `${stall.longestMs.toFixed(0)} ms (${stall.longestOwnMs.toFixed(0)} of the product's doing)`;
    const bar = `more than ${(stallMsMax * slowness).toFixed(0)} ms beyond`;
    const machine = slowness === 1 ? "" : `, on a machine ${slowness.toFixed(2)} times slower than the reference`;
    breaches.push(`/healthz waited ${waited}, idle ${idleMs.toFixed(0)} ms: ${bar}${machine}`);
  }
  if (residentGrowthBytes > residentGrowthBytesMax)
    breaches.push(
      `resident memory grew by ${mebibytes(residentGrowthBytes)}, more than ${mebibytes(residentGrowthBytesMax)}`,
    );
  breaches.push(...stall.failures.map((failure) => `/healthz failed: ${failure}`));
  return breaches.length === 0 ? undefined : breaches.join("; ");
}

export function mebibytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(0)} MiB`;
}
