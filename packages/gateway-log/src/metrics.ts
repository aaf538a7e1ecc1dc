import { toDollars } from "@gatehouse/money";
import { PairHistogram } from "@gatehouse/telemetry";
import { Counter, Gauge, type Registry } from "prom-client";
import type { GatewayLogEntry } from "./gateway-log-entry.ts";

/** Counters of the gateway log: calls, and entries by their fate. */
export interface LogMetrics {
  /** Counts a call of a model with its tokens, cost and attempts. */
  called(entry: GatewayLogEntry): void;
  published(entries: number): void;
  spilled(entries: number): void;
  dropped(entries: number): void;
}

/** Registers the metrics of a process's gateway log. */
export function createLogMetrics(
  registry: Registry,
  entriesInMemory: () => number,
  spillBytes: () => number,
): LogMetrics {
  const registers = [registry];
  const entries = new Counter({
    name: "gatehouse_gateway_log_entries_total",
    help: "Entries of the gateway log by outcome: published, spilled to disk on the way, or dropped.",
    labelNames: ["outcome"],
    registers,
  });
  const waiting = new Gauge({
    name: "gatehouse_gateway_log_waiting_entries",
    help: "Entries of the gateway log that wait in memory.",
    registers,
    collect() {
      this.set(entriesInMemory());
    },
  });
  const spill = new Gauge({
    name: "gatehouse_gateway_log_spill_bytes",
    help: "Bytes of the gateway log that wait on disk.",
    registers,
    collect() {
      this.set(spillBytes());
    },
  });
  waiting.set(0);
  spill.set(0);
  return {
    called: createCallMetrics(registry),
    published: (count) => entries.inc({ outcome: "published" }, count),
    spilled: (count) => entries.inc({ outcome: "spilled" }, count),
    dropped: (count) => entries.inc({ outcome: "dropped" }, count),
  };
}

const durationBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/** Sums of a provider's calls since the last read. */
interface Sums {
  attempts: number;
  prompt: number;
  completion: number;
  costUsd: number;
}

/**
 * Counts calls by provider, of which there are few. Sums are kept here and passed to the counters when they are read, since four
 * label look-ups for a call would take longer than the rest of the entry.
 */
function createCallMetrics(registry: Registry): LogMetrics["called"] {
  const sums = new Map<string, Sums>();
  const move = (counter: Counter, amount: keyof Sums, labels: Readonly<Record<string, string>> = {}) => {
    for (const [provider, of] of sums) {
      counter.inc({ provider, ...labels }, of[amount]);
      of[amount] = 0;
    }
  };
  const duration = new PairHistogram({
    registry,
    name: "gatehouse_model_call_duration_seconds",
    help: "Time of a call that was sent to a provider, from its arrival to its end, by the provider that was asked last.",
    labelNames: ["provider", "status"],
    buckets: durationBuckets,
  });
  registerAmounts(registry, move);
  return ({ provider, status, durationMs, attempts, promptTokens, completionTokens, costMicros }) => {
    if (provider === undefined) return;
    duration.observe(provider, status, durationMs / 1_000);
    const of = sums.get(provider) ?? { attempts: 0, prompt: 0, completion: 0, costUsd: 0 };
    sums.set(provider, of);
    of.attempts += attempts ?? 0;
    of.prompt += promptTokens ?? 0;
    of.completion += completionTokens ?? 0;
    of.costUsd += toDollars(costMicros ?? 0);
  };
}

type MoveSums = (counter: Counter, amount: keyof Sums, labels?: Readonly<Record<string, string>>) => void;

function registerAmounts(registry: Registry, move: MoveSums): void {
  const registers = [registry];
  new Counter({
    name: "gatehouse_model_attempts_total",
    help: "Attempts of calls, by the provider that was asked last.",
    labelNames: ["provider"],
    registers,
    collect() {
      move(this, "attempts");
    },
  }).reset();
  new Counter({
    name: "gatehouse_model_tokens_total",
    help: "Tokens of calls, of the prompt or of the answer.",
    labelNames: ["provider", "kind"],
    registers,
    collect() {
      move(this, "prompt", { kind: "prompt" });
      move(this, "completion", { kind: "completion" });
    },
  }).reset();
  new Counter({
    name: "gatehouse_model_cost_usd_total",
    help: "Cost of calls, US dollars.",
    labelNames: ["provider"],
    registers,
    collect() {
      move(this, "costUsd");
    },
  }).reset();
}
