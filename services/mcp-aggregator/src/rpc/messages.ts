import { GatewayError } from "@gatehouse/errors";
import { isJsonObject, type JsonObject } from "@gatehouse/json-rpc";
import type { Upstream as UpstreamMessage, UpstreamState } from "@gatehouse/proto/mcp-aggregator";
import type { Snapshot } from "../domain/listing.ts";
import { isChanged } from "../domain/tool-pins.ts";
import type { Upstream } from "../domain/upstream.ts";
import type { UpstreamRuntime } from "../domain/upstream-runtime.ts";
import { encodeSettings } from "../domain/upstream-settings.ts";

/** Quarantined and changed tools in one message; a hostile upstream can have very many. */
const toolsMax = 200;

export function fromUpstream(upstream: Upstream, runtime: UpstreamRuntime | undefined): UpstreamMessage {
  const { id, projectUuid, prefix, url, hasBearerToken, isActive, settings, createdAt, updatedAt } = upstream;
  return {
    id,
    projectUuid,
    prefix,
    url,
    hasBearerToken,
    isActive,
    settingsJson: JSON.stringify(encodeSettings(settings)),
    state: toState(runtime),
    createdAt,
    updatedAt,
  };
}

function toState(runtime: UpstreamRuntime | undefined): UpstreamState {
  const snapshot = runtime?.snapshot;
  const changed = snapshot?.tools.filter((tool) => isChanged(tool, snapshot.pins)) ?? [];
  return {
    health: toHealth(runtime),
    era: runtime?.connection.era ?? "unknown",
    toolCount: snapshot?.visibleCount ?? 0,
    quarantined: (snapshot?.quarantined ?? []).slice(0, toolsMax).map(({ name, reason }) => ({ name, reason })),
    changedTools: changed.slice(0, toolsMax).map(({ name }) => name),
    ...(snapshot === undefined ? {} : { listedAt: new Date(snapshot.listedAtWallMs) }),
    suspicious: findSuspicious(snapshot),
    lastError: runtime?.lastFailure?.message ?? snapshot?.gap ?? "",
  };
}

function findSuspicious(snapshot: Snapshot | undefined): UpstreamState["suspicious"] {
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

/** An empty text stands for no settings. @throws GatewayError `invalid_argument` */
export function toSettings(text: string): JsonObject {
  const value = text === "" ? {} : tryParse(text);
  if (isJsonObject(value)) return value;
  throw new GatewayError("invalid_argument", "settings must be object");
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (err) {
    if (!(err instanceof SyntaxError)) throw err;
    return undefined;
  }
}
