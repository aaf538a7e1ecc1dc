import { amount, type JsonObject, many, orNull, result, words } from "@gatehouse/admin";
import type { UpstreamRuntime } from "../app/upstream-runtime.ts";
import type { Snapshot } from "../domain/listing.ts";
import { isChanged } from "../domain/tool-pins.ts";

/** Quarantined and changed tools in one answer; a hostile upstream can have very many. */
const toolsMax = 200;

const namedReason = result({ name: words, reason: words });

/** The schema of {@link describeState}. */
export const upstreamState = result({
  health: words,
  era: words,
  tool_count: amount,
  quarantined_tools: many(namedReason),
  changed_tools: many(words),
  suspicious_tools: many(namedReason),
  listed_at: orNull(words),
  last_error: orNull(words),
});

/** An upstream's state as administrators see it. */
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
    // Never names a token.
    last_error: runtime?.lastFailure?.message ?? snapshot?.gap ?? null,
  };
}

/** Tools whose definition a person should look at: text that is invisible, or words that instruct a model. */
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
