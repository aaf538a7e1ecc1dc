import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export interface VictimFigures {
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Excludes time for which other programs kept the product's main thread, or its client, from a core. */
  readonly p99OwnMs: number;
  readonly calls: number;
  /** Calls with a status other than 200. */
  readonly refused: number;
}

/** An honest tenant in a separate process that calls fifty times a second. */
export interface Victim {
  readonly providerUrl: string;
  run(call: {
    readonly url: string;
    readonly path: string;
    readonly token: string;
    readonly ms: number;
    readonly pid: number;
  }): Promise<VictimFigures>;
  stop(): Promise<void>;
}

interface TimedCall {
  readonly tookMs: number;
  readonly ownMs: number;
  readonly status: number;
}

export async function startVictim(): Promise<Victim> {
  const child = fork(fileURLToPath(new URL("victim-process.ts", import.meta.url)), {
    execArgv: [],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const [{ providerUrl }] = (await once(child, "message")) as [{ providerUrl: string }];
  return {
    providerUrl,
    async run(call) {
      const answer = once(child, "message") as Promise<[readonly TimedCall[]]>;
      child.send(call);
      const [calls] = await answer;
      const ownMs = calls.map((one) => one.ownMs).toSorted((a, b) => a - b);
      const tookMs = calls.map((one) => one.tookMs).toSorted((a, b) => a - b);
      const refused = calls.filter(({ status }) => status !== 200).length;
      return {
        p50Ms: quantile(tookMs, 0.5),
        p99Ms: quantile(tookMs, 0.99),
        p99OwnMs: quantile(ownMs, 0.99),
        calls: calls.length,
        refused,
      };
    },
    async stop() {
      child.disconnect();
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}
