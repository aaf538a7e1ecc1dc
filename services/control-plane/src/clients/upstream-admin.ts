import { isJsonObject, type JsonObject } from "@gatehouse/json-rpc";
import type { TestStep, Upstream, UpstreamState } from "@gatehouse/proto/mcp-aggregator";
import { requirePart, toTimestamp } from "./parse-reply.ts";

/** An upstream as the contract shows it: its settings with every default, and what is known of it. Its token is not part of it. */
export function encodeUpstream(upstream: Upstream | undefined): JsonObject {
  const given = requirePart(upstream, "upstream");
  const settings: unknown = JSON.parse(given.settingsJson);
  return {
    id: given.id,
    project: given.projectUuid,
    prefix: given.prefix,
    url: given.url,
    has_bearer_token: given.hasBearerToken,
    is_active: given.isActive,
    ...requirePart(isJsonObject(settings) ? settings : undefined, "upstream's settings"),
    state: encodeState(requirePart(given.state, "upstream's state")),
    created_at: toTimestamp(given.createdAt),
    updated_at: toTimestamp(given.updatedAt),
  };
}

function encodeState({
  health,
  era,
  toolCount,
  quarantined,
  changedTools,
  suspicious,
  listedAt,
  lastError,
}: UpstreamState): JsonObject {
  return {
    health,
    era,
    tool_count: toolCount,
    quarantined_tools: quarantined.map(({ name, reason }) => ({ name, reason })),
    changed_tools: changedTools,
    suspicious_tools: suspicious.map(({ name, reason }) => ({ name, reason })),
    listed_at: toTimestamp(listedAt),
    last_error: lastError === "" ? null : lastError,
  };
}

export function encodeTestStep({ name, succeeded, detail, durationMs }: TestStep): JsonObject {
  return { name, succeeded, detail, duration_ms: durationMs };
}
