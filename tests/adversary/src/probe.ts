import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { lapse } from "@gatehouse/async/testing";

/** Result of a window of polls of `/healthz`. */
export interface Stall {
  readonly asks: number;
  /** Longest delay of an answer, milliseconds. */
  readonly longestMs: number;
  /** Longest delay, less the time for which other programs kept the product from a core. */
  readonly longestOwnMs: number;
  /** Answers other than 200. */
  readonly failures: readonly string[];
}

interface Ask {
  readonly delayMs: number;
  readonly starvedMs: number;
  readonly failure?: string;
}

/** Polls `/healthz` every few milliseconds from a separate process, so that neither the test nor the product delays the poll. */
export interface Probe {
  /** The stall while `work` ran, including the answers to polls sent within it. */
  watch<T>(work: () => Promise<T>): Promise<{ readonly stall: Stall; readonly result: T }>;
  /** The stall of an interval in which the test is idle. */
  idle(ms: number): Promise<Stall>;
  /** Time of the reference workload in the probe's process, milliseconds; only in an interval that is not watched. */
  timeReferenceWorkload(): Promise<number>;
  stop(): Promise<void>;
}

const afterglowMs = 20;

export async function startProbe({ url, pid }: { readonly url: string; readonly pid: number }): Promise<Probe> {
  const child = fork(fileURLToPath(new URL("probe-process.ts", import.meta.url)), [url, String(pid)], {
    execArgv: [],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  await once(child, "spawn");
  const read = async (): Promise<readonly Ask[]> => {
    const answer = once(child, "message") as Promise<[readonly Ask[]]>;
    child.send("read");
    return (await answer)[0];
  };
  const watch: Probe["watch"] = async (work) => {
    child.send("begin");
    await lapse(afterglowMs, "questions from before the work are answered");
    const result = await work();
    const asked = (await read()).length;
    // A poll that was open when the work ended shows its stall.
    let asks = await read();
    while (asks.length <= asked) {
      await delay(afterglowMs);
      asks = await read();
    }
    return { stall: summarize(asks), result };
  };
  return {
    watch,
    async timeReferenceWorkload() {
      const answer = once(child, "message") as Promise<[number]>;
      child.send("time workload");
      return (await answer)[0];
    },
    idle: async (ms) => (await watch(async () => await delay(ms))).stall,
    async stop() {
      child.disconnect();
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}

function summarize(asks: readonly Ask[]): Stall {
  return {
    asks: asks.length,
    longestMs: Math.max(0, ...asks.map(({ delayMs }) => delayMs)),
    longestOwnMs: Math.max(0, ...asks.map(({ delayMs, starvedMs }) => delayMs - starvedMs)),
    failures: asks.flatMap(({ failure }) => (failure === undefined ? [] : [failure])),
  };
}
