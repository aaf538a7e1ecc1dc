import { readlinkSync } from "node:fs";
import { getPriority } from "node:os";
import { basename } from "node:path";
import { setTimeout } from "node:timers/promises";
import { threadId } from "node:worker_threads";
import { GatewayError } from "@gatehouse/errors";

type Misbehaviour = keyof typeof misbehave;

/** Tasks that misbehave as requested. */
export type Probe =
  | { readonly do: "answer"; readonly value: unknown; readonly afterMs?: number }
  | { readonly do: Misbehaviour };

export async function run(probe: Probe): Promise<unknown> {
  if (probe.do !== "answer") return misbehave[probe.do]();
  await setTimeout(probe.afterMs ?? 0);
  return { value: probe.value, threadId };
}

const misbehave = {
  spin: () => {
    for (let turns = 0; ; turns += 1) Math.sqrt(turns);
  },
  throw: () => {
    throw new TypeError("the probe failed");
  },
  refuse: () => {
    throw new GatewayError("invalid_argument", "Not like this.");
  },
  exit: () => process.exit(3),
  exhaust_memory: () => fill(() => Array.from({ length: 1_000 }, (_, index) => ({ index }))),
  exhaust_memory_at_once: () => fill(() => Array.from<number>({ length: 10_000_000 }).fill(0.5)),
  exhaust_stack: () => nest(0),
  read_env: () => Object.keys(process.env),
  read_priority: () => getPriority(Number(basename(readlinkSync("/proc/thread-self")))),
} as const;

function fill(make: () => unknown): never {
  for (const kept: unknown[] = []; ;) kept.push(make());
}

function nest(depth: number): number {
  return 1 + nest(depth + 1);
}
