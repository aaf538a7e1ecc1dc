import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export interface VictimFigures {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly calls: number;
  /** Calls that were not answered 200. */
  readonly refused: number;
}

/** An honest tenant in a separate process, which calls fifty times a second. */
export interface Victim {
  readonly providerUrl: string;
  run(call: {
    readonly url: string;
    readonly path: string;
    readonly token: string;
    readonly ms: number;
  }): Promise<VictimFigures>;
  stop(): Promise<void>;
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
      const answer = once(child, "message") as Promise<[{ latenciesMs: readonly number[]; refused: number }]>;
      child.send(call);
      const [{ latenciesMs, refused }] = await answer;
      const sorted = latenciesMs.toSorted((a, b) => a - b);
      const quantile = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
      return { p50Ms: quantile(0.5), p99Ms: quantile(0.99), calls: sorted.length, refused };
    },
    async stop() {
      child.disconnect();
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}
