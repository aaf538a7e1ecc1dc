import { isJsonObject, type JsonObject } from "@gatehouse/json-rpc";
import { documentVersion } from "./document.ts";
import type { ConfigurationState, EndpointState, ProjectState, ProviderState } from "./state.ts";

/** Members of an item that say where and when it was made, or how it fares, rather than how it is set. */
const leftOut = {
  provider: ["id", "created_at"],
  credential: ["id", "created_at", "provider", "hint"],
  project: ["id", "created_at"],
  token: ["id", "created_at", "project", "is_active", "last_used_at"],
  connection: ["id", "created_at", "project", "status", "last_error", "expires_at"],
  endpoint: ["uuid", "created_at", "updated_at", "project"],
  upstream: ["id", "created_at", "updated_at", "project", "has_bearer_token", "state"],
  webhook: [
    "id",
    "created_at",
    "updated_at",
    "project",
    "secret_hint",
    "previous_secret_expires_at",
    "rotation_staged",
  ],
  policy: ["project", "endpoint", "source", "updated_at"],
} as const;

/**
 * A state as a document that `svc_apply_config` takes. Secrets are not in it: they cannot be read. Settings that are not set
 * are left out.
 */
export function toDocument({ providers, projects }: ConfigurationState): JsonObject {
  return { version: documentVersion, providers: providers.map(toProvider), projects: projects.map(toProject) };
}

function toProvider({ settings, credentials }: ProviderState): JsonObject {
  return { ...settingsOf("provider", settings), ...listed("credentials", settingsOfAll("credential", credentials)) };
}

function toProject(project: ProjectState): JsonObject {
  const { settings, guardrails, tokens, oauthConnections, endpoints, upstreams, webhooks } = project;
  return {
    ...settingsOf("project", settings),
    // Null is a limit of its own: unlimited.
    rate_limit_per_minute: settings["rate_limit_per_minute"] ?? null,
    rate_limit_per_hour: settings["rate_limit_per_hour"] ?? null,
    ...toPolicy(guardrails),
    ...listed("tokens", settingsOfAll("token", tokens)),
    ...listed("oauth_connections", settingsOfAll("connection", oauthConnections)),
    ...listed("endpoints", endpoints.map(toEndpoint)),
    ...listed("upstreams", settingsOfAll("upstream", upstreams)),
    ...listed("webhooks", settingsOfAll("webhook", webhooks)),
  };
}

function toEndpoint({ settings, guardrails }: EndpointState): JsonObject {
  return { ...settingsOf("endpoint", settings), ...toPolicy(guardrails) };
}

function toPolicy(policy: JsonObject | undefined): JsonObject {
  return policy === undefined ? {} : { guardrails: settingsOf("policy", policy) };
}

function settingsOfAll(kind: keyof typeof leftOut, items: readonly JsonObject[]): readonly JsonObject[] {
  return items.map((item) => settingsOf(kind, item));
}

function settingsOf(kind: keyof typeof leftOut, item: JsonObject): JsonObject {
  const hidden: readonly string[] = leftOut[kind];
  const kept = Object.entries(withoutNulls(item)).filter(([name]) => !hidden.includes(name));
  // A schema may say null and mean it; a target's prices are absent where they are null.
  return Object.fromEntries(kept.map(([name, value]) => [name, name === "targets" ? toTargets(value) : value]));
}

function toTargets(targets: unknown): unknown {
  if (!Array.isArray(targets)) return targets;
  return targets.map((target: unknown) => (isJsonObject(target) ? withoutNulls(target) : target));
}

function withoutNulls(item: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null));
}

function listed(name: string, items: readonly JsonObject[]): JsonObject {
  return items.length === 0 ? {} : { [name]: items };
}
