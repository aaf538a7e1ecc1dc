import { setTimeout as delay } from "node:timers/promises";
import type { Product } from "@gatehouse/e2e";
import { residentGrowthBytesMax, stallMsMax } from "./bars.ts";
import { type Probe, type Stall, startProbe } from "./probe.ts";
import { CpuMeter, readMemory, resetPeak } from "./process-figures.ts";

/** The cost of one attack to the product. */
export interface Cost {
  /** Of threads that run the product's code; V8's own helpers are apart, since whose garbage they collect is chance. */
  readonly cpuMs: number;
  readonly engineCpuMs: number;
  readonly stall: Stall;
  readonly residentGrowthBytes: number;
}

/** Watches one process of the product from outside. */
export interface Meter {
  /** Runs an attack and waits until the product is quiet again. @throws Error when the product ends, or works on for a minute. */
  measure(attack: () => Promise<unknown>): Promise<Cost>;
  /**
   * Runs an attack and compares it with an idle interval. What looks bad is tried again, since other programs share the machine: a
   * fault of the product shows each time. @throws Error when every attempt breaks a bar.
   */
  expectHarmless(attack: () => Promise<unknown>): Promise<Cost>;
  /** The stall of an interval without an attack; of no length: the one that was last measured. */
  idle(ms: number): Promise<Stall>;
  stop(): Promise<void>;
}

const attempts = 3;
const idleMs = 1_000;
/** The product counts as quiet when it has used less CPU than this in one step. */
const quietCpuMs = 8;
const quietStepMs = 40;
const quietWithinMs = 60_000;

export async function openMeter({ url, processes }: Product): Promise<Meter> {
  const [child] = processes;
  const pid = child?.process.pid;
  if (child === undefined || pid === undefined) throw new Error("The product has no process to watch.");
  const probe = await startProbe({ url, pid });
  const cpu = new CpuMeter(pid);
  const subject: Subject = {
    pid,
    probe,
    cpu,
    hasEnded: () => child.process.exitCode !== null || child.process.signalCode !== null,
  };
  const measure = async (attack: () => Promise<unknown>) => await measureOnce(subject, attack);
  let lastIdle = await probe.idle(idleMs);
  const idle = async (ms: number) => {
    if (ms > 0) lastIdle = await probe.idle(ms);
    return lastIdle;
  };
  return {
    measure,
    idle,
    async expectHarmless(attack) {
      const breaches: string[] = [];
      for (let attempt = 0; attempt < attempts; attempt += 1) {
        const before = await idle(idleMs);
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
  readonly pid: number;
  readonly probe: Probe;
  readonly cpu: CpuMeter;
  readonly hasEnded: () => boolean;
}

async function measureOnce(subject: Subject, attack: () => Promise<unknown>): Promise<Cost> {
  const { pid, probe, cpu } = subject;
  await untilQuiet(subject);
  const [cpuBefore, { residentBytes }] = [cpu.read(), readMemory(pid)];
  resetPeak(pid);
  const { stall } = await probe.watch(async () => {
    await attack();
    await untilQuiet(subject);
  });
  if (subject.hasEnded()) throw new Error("The product ended.");
  const cpuAfter = cpu.read();
  return {
    cpuMs: cpuAfter.programMs - cpuBefore.programMs,
    engineCpuMs: cpuAfter.engineMs - cpuBefore.engineMs,
    stall,
    residentGrowthBytes: Math.max(0, readMemory(pid).peakBytes - residentBytes),
  };
}

/** An attack may go on after its connection is gone: nothing is measured before the product has done with it. */
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

/** The bars that a cost breaks, in words with figures; undefined where it breaks none. */
export function describeBreach({ stall, residentGrowthBytes }: Cost, idle: Stall): string | undefined {
  const breaches: string[] = [];
  const beyondMs = stall.longestOwnMs - idle.longestMs;
  if (beyondMs > stallMsMax)
    breaches.push(
      `/healthz waited ${stall.longestMs.toFixed(0)} ms (${stall.longestOwnMs.toFixed(0)} of the product's doing), idle ${idle.longestMs.toFixed(0)} ms: more than ${stallMsMax} ms beyond`,
    );
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
