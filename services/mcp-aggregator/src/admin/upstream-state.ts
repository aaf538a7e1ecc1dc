import { array, type JsonObject, nullable, number, object, string } from "@gatehouse/admin";
import type { UpstreamRuntime } from "../app/upstream-runtime.ts";
import type { Snapshot } from "../domain/listing.ts";
import { isChanged } from "../domain/tool-pins.ts";

/** Quarantined and changed tools in one answer; a hostile upstream may have any number. */
const toolsMax = 200;

const namedReason = object({ name: string(), reason: string() });

/** The schema of {@link describeState}. */
export const upstreamState = object({
  health: string(),
  era: string(),
  tool_count: number(),
  quarantined_tools: array(namedReason),
  changed_tools: array(string()),
  suspicious_tools: array(namedReason),
  listed_at: nullable(string()),
  last_error: nullable(string()),
});

/**
 * `state` of an upstream in results; each of its lists has at most 200 tools. Undefined: this replica does not know the upstream
 * yet.
 */
export function describeState(runtime: UpstreamRuntime | undefined): JsonObject {
  const snapshot = runtime?.snapshot;
  const changed = snapshot?.tools.filter((tool) => isChanged(tool, snapshot.pins)) ?? [];
  return {
    health: toHealth(runtime),
    era: runtime?.connection.protocolMode ?? "unknown",
    tool_count: snapshot?.visibleCount ?? 0,
    quarantined_tools: (snapshot?.quarantined ?? []).slice(0, toolsMax).map(({ name, reason }) => ({ name, reason })),
    changed_tools: changed.slice(0, toolsMax).map(({ name }) => name),
    suspicious_tools: findSuspicious(snapshot),
    listed_at: snapshot === undefined ? null : new Date(snapshot.listedAtWallMs).toISOString(),
    // Contains no token.
    last_error: runtime?.lastFailure?.message ?? snapshot?.gap ?? null,
  };
}

/** Tools for review by a person: invisible characters, or text that instructs a model. */
function findSuspicious(snapshot: Snapshot | undefined): readonly JsonObject[] {
  const found = (snapshot?.tools ?? []).flatMap(({ name, suspicions }) => {
    return suspicions.length === 0 ? [] : [{ name, reason: `its definition has ${suspicions.join(" and ")}` }];
  });
  return found.slice(0, toolsMax);
}

function toHealth(runtime: UpstreamRuntime | undefined): string {
  if (runtime === undefined) return "unknown";
  const { snapshot, lastFailure, isResting } = runtime;
  if (lastFailure !== undefined || isResting) return snapshot === undefined ? "down" : "stale";
  return runtime.hasAnswered ? "reachable" : "unknown";
}
