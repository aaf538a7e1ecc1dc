import type { RequestEntry } from "../api/types.ts";

/** A period of a call's time. */
export interface TrailStep {
  readonly name: string;
  readonly durationMs: number;
  readonly kind: "step" | "attempt" | "refusal" | "reply";
}

/** Labels of the steps of a model call (docs/pipeline.md), in order, without the one that logs. */
export const stepLabels: ReadonlyMap<string, string> = new Map([
  ["body", "Body read and checked"],
  ["endpoint", "Endpoint found"],
  ["rate_limit", "Rate limit"],
  ["parameters", "Parameters"],
  ["content", "Content"],
  ["session", "Session"],
  ["budget", "Budget"],
  ["token_cap", "Token cap"],
  ["guardrails", "Guardrails"],
  ["input_schema", "Input schema"],
  ["prompt", "Prompt"],
  ["provider", "Provider, until it answered"],
  ["beside_guardrails", "Parallel guardrails"],
  ["output_guardrails", "Output guardrails"],
  ["restore", "Masked values restored"],
  ["output_schema", "Output schema"],
]);
/** Routes of calls with these steps; other calls log attempts too. */
const pipelineRoute = /^(?:chat_|wrapper_|mcp_bridge$)/;

/**
 * Timing of a call: each entered step, failed attempts as parts of theirs, and the rest as the reply. The log has times from 1 ms
 * on; unlisted steps count as 0.
 */
export function trailOf(entry: RequestEntry): readonly TrailStep[] {
  const { details, duration_ms } = entry;
  const times = new Map(pairs(textOf(details["steps_ms"])));
  const refusedBy = textOf(details["refused_by"]);
  const trail = enteredSteps(entry, [...times.keys()]).flatMap((name): TrailStep[] => {
    const kind = name === refusedBy ? "refusal" : "step";
    const durationMs = times.get(name) ?? 0;
    return name === "provider" ? providerSteps(details, durationMs, kind) : [{ name, durationMs, kind }];
  });
  // An attempt that failed while it answered is longer than the provider's step, which ends with the first token.
  const known = trail.reduce((sum, { durationMs }) => sum + durationMs, 0);
  const rest = Math.max(0, duration_ms - known);
  return refusedBy === "" && trail.length > 0 ? [...trail, { name: "reply", durationMs: rest, kind: "reply" }] : trail;
}

/** Steps up to the refusing one, or all where a provider was asked. For other calls, the log names only slow ones. */
function enteredSteps({ route, attempts, details }: RequestEntry, timed: readonly string[]): readonly string[] {
  const all = [...stepLabels.keys()];
  const refusedBy = textOf(details["refused_by"]);
  const unknown = timed.filter((name) => !stepLabels.has(name));
  if (refusedBy !== "") {
    const until = stepLabels.has(refusedBy) ? all.slice(0, all.indexOf(refusedBy) + 1) : [...timed, refusedBy];
    return [...new Set([...unknown, ...until])];
  }
  return attempts > 0 && pipelineRoute.test(route) ? [...all, ...unknown] : timed;
}

function providerSteps(details: RequestEntry["details"], totalMs: number, kind: TrailStep["kind"]): TrailStep[] {
  const failed = textOf(details["failed_attempts"]).split(", ").filter((text) => text !== ""); // prettier-ignore
  const times = textOf(details["failed_attempts_ms"]).split(", ").map(Number);
  const attempts = failed.map((text, index): TrailStep => {
    return { name: text.replace(":", ": "), durationMs: times[index] ?? 0, kind: "attempt" };
  });
  const spent = attempts.reduce((sum, { durationMs }) => sum + durationMs, 0);
  return [...attempts, { name: "provider", durationMs: Math.max(0, totalMs - spent), kind }];
}

/** Parses `guardrails 3, provider 812`. */
function pairs(text: string): readonly (readonly [name: string, value: number])[] {
  return text.split(", ").flatMap((part) => {
    const [, name, value] = /^(\S+) (\d+)$/.exec(part) ?? [];
    return name === undefined ? [] : [[name, Number(value)] as const];
  });
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
