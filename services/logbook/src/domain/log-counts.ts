import type { ErrorCode } from "@gatehouse/errors";
import { codeOfEarlier } from "./earlier-entry.ts";
import type { LogBlock } from "./log-block.ts";
import type { LogEntry } from "./log-entry.ts";
import { latencyStepMax, latencyStepsPerDoubling, type Outcome } from "./metrics.ts";

/** Entries of one minute that agree in all that metrics tell apart. */
export interface LogCount {
  readonly minuteMs: number;
  /** One of the entries. */
  readonly entry: LogEntry;
  readonly outcome: Outcome;
  /** A step of the scale of latencies. */
  readonly latency: number;
  requests: number;
  promptTokens: number;
  /** Prompt tokens that the provider read from its cache. */
  cachedTokens: number;
  completionTokens: number;
  costMicros: number;
}

/** Fields that an outcome is made of. */
type OutcomeFields = Pick<LogEntry, "status" | "error" | "error_code">;

const minuteLengthMs = 60_000;

/** Counts a block's entries; two counts may agree in all but what metrics do not tell apart. */
export function toCounts({ entries, kindNumbers, kinds, firstAtMs, offsetsMs }: LogBlock): readonly LogCount[] {
  const counts = new Map<number, LogCount>();
  const outcomes = kinds.map(toOutcome);
  for (const [at, entry] of entries.entries()) {
    const number = (kindNumbers[at] ?? 1) - 1;
    const minute = Math.floor((firstAtMs + (offsetsMs[at] ?? 0)) / minuteLengthMs);
    const latency = toLatencyStep(entry.duration_ms);
    const key = (minute * kinds.length + number) * (latencyStepMax + 1) + latency;
    let count = counts.get(key);
    if (count === undefined) {
      count = toCount(entry, outcomes[number] ?? "internal", { minuteMs: minute * minuteLengthMs, latency });
      counts.set(key, count);
    }
    count.requests += 1;
    count.promptTokens += entry.prompt_tokens ?? 0;
    count.cachedTokens += cachedTokensOf(entry);
    count.completionTokens += entry.completion_tokens ?? 0;
    count.costMicros += entry.cost_micros ?? 0;
  }
  return [...counts.values()];
}

function toCount(entry: LogEntry, outcome: Outcome, place: Pick<LogCount, "minuteMs" | "latency">): LogCount {
  const sums = { requests: 0, promptTokens: 0, cachedTokens: 0, completionTokens: 0, costMicros: 0 };
  return { ...place, entry, outcome, ...sums };
}

/** Its details are as the message has them: what is no number of the prompt's tokens counts as none. */
function cachedTokensOf({ details, prompt_tokens: promptTokens }: LogEntry): number {
  if (typeof details !== "object" || details === null || !("cached_tokens" in details)) return 0;
  const { cached_tokens: cachedTokens } = details;
  const isCount = typeof cachedTokens === "number" && Number.isSafeInteger(cachedTokens) && cachedTokens > 0;
  return isCount ? Math.min(cachedTokens, promptTokens ?? 0) : 0;
}

/** Outcomes of errors that their statuses do not tell apart. */
const outcomesOfCodes = new Map<string, Outcome>([
  ["guardrail_blocked", "guardrail_blocked"],
  ["budget_exhausted", "budget_exhausted"],
] satisfies [ErrorCode, Outcome][]);

/** Outcome of a request, by its status and the code of its error. */
export function toOutcome(entry: OutcomeFields): Outcome {
  const { status, error } = entry;
  const outcome = outcomesOfCodes.get(entry.error_code ?? codeOfEarlier(entry) ?? "");
  if (outcome !== undefined) return outcome;
  // An error inside of a reply: of MCP, or of a stream that has begun.
  if (status < 400) return typeof error === "string" ? "in_reply" : "ok";
  if (status === 401 || status === 403) return "unauthorized";
  if (status === 429) return "rate_limited";
  if (status === 499) return "client_gone";
  if (status < 500) return "invalid";
  return status === 502 || status === 503 || status === 504 ? "provider" : "internal";
}

/** The step of the scale of latencies that has this duration. */
export function toLatencyStep(durationMs: number): number {
  if (durationMs <= 1) return 0;
  return Math.min(latencyStepMax, Math.ceil(latencyStepsPerDoubling * Math.log2(durationMs)));
}
