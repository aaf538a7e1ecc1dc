import type { RequestEntry } from "../api/types.ts";

/** A stretch of a call's time. */
export interface TrailStep {
  readonly name: string;
  readonly durationMs: number;
  readonly kind: "step" | "attempt" | "refusal" | "reply";
}

/** Where the time of a call went: failed attempts as parts of their step, and the rest as the reply. */
export function trailOf({ details, duration_ms }: RequestEntry): readonly TrailStep[] {
  const steps = pairs(textOf(details?.["steps_ms"]));
  const refusedBy = textOf(details?.["refused_by"]);
  const trail = steps.flatMap(([name, durationMs]): TrailStep[] => {
    const kind = name === refusedBy ? "refusal" : "step";
    return name === "provider" ? providerSteps(details, durationMs, kind) : [{ name, durationMs, kind }];
  });
  if (refusedBy !== "" && !steps.some(([name]) => name === refusedBy)) {
    trail.push({ name: refusedBy, durationMs: 0, kind: "refusal" });
  }
  const known = steps.reduce((sum, [, durationMs]) => sum + durationMs, 0);
  const rest = Math.max(0, duration_ms - known);
  return refusedBy === "" && steps.length > 0 ? [...trail, { name: "reply", durationMs: rest, kind: "reply" }] : trail;
}

function providerSteps(details: RequestEntry["details"], totalMs: number, kind: TrailStep["kind"]): TrailStep[] {
  const failed = textOf(details?.["failed_attempts"]).split(", ").filter((text) => text !== ""); // prettier-ignore
  const times = textOf(details?.["failed_attempts_ms"]).split(", ").map(Number);
  const attempts = failed.map((text, index): TrailStep => {
    return { name: text.replace(":", ": "), durationMs: times[index] ?? 0, kind: "attempt" };
  });
  const spent = attempts.reduce((sum, { durationMs }) => sum + durationMs, 0);
  return [...attempts, { name: "provider", durationMs: Math.max(0, totalMs - spent), kind }];
}

/** `guardrails 3, provider 812` as names and numbers. */
function pairs(text: string): readonly (readonly [name: string, value: number])[] {
  return text.split(", ").flatMap((part) => {
    const [, name, value] = /^(\S+) (\d+)$/.exec(part) ?? [];
    return name === undefined ? [] : [[name, Number(value)] as const];
  });
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
