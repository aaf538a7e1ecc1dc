import { isJsonObject, type JsonObject } from "@gatehouse/json-rpc";
import { documentVersion } from "./document.ts";
import { SecretNames } from "./secret-references.ts";
import type { ConfigurationState, EndpointState, IssuerState, ProjectState, ProviderState } from "./state.ts";

/** Members of an item that say where and when it was made, or how it fares, rather than how it is set. */
const leftOut = {
  provider: ["id", "created_at"],
  credential: ["id", "created_at", "provider", "hint"],
  project: ["id", "created_at"],
  token: ["id", "created_at", "project", "is_active", "last_used_at"],
  issuer: ["id", "created_at", "project"],
  connection: ["id", "created_at", "project", "status", "last_error", "expires_at", "refreshed_at"],
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

/** A configuration as a document, and the names of the secrets that it refers to. */
interface ExportedDocument {
  readonly document: JsonObject;
  readonly secretNames: readonly string[];
  /** The name of each secret, by the place that its owner knows it by. */
  readonly secretPlaces: Readonly<Record<string, string>>;
}

/**
 * A state as a document that `svc_apply_config` takes. Secrets cannot be read: where one was, the document has `${NAME}`. Settings
 * that are not set are left out.
 */
export function toDocument(state: ConfigurationState): ExportedDocument {
  const { providers, projects } = state;
  const names = new SecretNames(state);
  const document = {
    version: documentVersion,
    providers: providers.map((provider) => toProvider(provider, names)),
    projects: projects.map((project) => toProject(project, names)),
  };
  return { document, secretNames: names.list(), secretPlaces: names.places() };
}

function toProvider({ settings, credentials }: ProviderState, names: SecretNames): JsonObject {
  const provider = String(settings["name"]);
  const withKeys = credentials.map((credential) => ({
    ...settingsOf("credential", credential),
    api_key: names.referTo(
      [provider, String(credential["name"]), "api_key"],
      placeOf("credential", credential, "api_key"),
    ),
  }));
  return { ...settingsOf("provider", settings), ...listed("credentials", withKeys) };
}

function toProject(project: ProjectState, names: SecretNames): JsonObject {
  const { settings, guardrails, tokens, issuers, oauthConnections, endpoints, upstreams, webhooks } = project;
  const refer: Refer = (parts, place) => names.referTo([settings["name"], ...parts].map(String), place);
  return {
    ...settingsOf("project", settings),
    // Null is a value here: unlimited.
    rate_limit_per_minute: settings["rate_limit_per_minute"] ?? null,
    rate_limit_per_hour: settings["rate_limit_per_hour"] ?? null,
    ...toPolicy(guardrails, { owner: settings["uuid"], parts: [], refer }),
    ...listed("tokens", settingsOfAll("token", tokens)),
    ...listed("issuers", issuers.map(toIssuer)),
    ...listed(
      "oauth_connections",
      oauthConnections.map((connection) => toConnection(connection, refer)),
    ),
    ...listed(
      "endpoints",
      endpoints.map((endpoint) => toEndpoint(endpoint, refer)),
    ),
    ...listed(
      "upstreams",
      upstreams.map((upstream) => toUpstream(upstream, refer)),
    ),
    ...listed("webhooks", settingsOfAll("webhook", webhooks)),
  };
}

function toIssuer({ settings, revokedSubjects }: IssuerState): JsonObject {
  const revoked = revokedSubjects.length === 0 ? {} : { revoked_subjects: revokedSubjects };
  return { ...settingsOf("issuer", settings), ...revoked };
}

type Refer = (parts: readonly unknown[], place: string) => string;

/** The name that an owner of secrets knows one by. */
function placeOf(kind: string, { id }: JsonObject, field: string): string {
  return `${kind}/${String(id)}/${field}`;
}

function toConnection(connection: JsonObject, refer: Refer): JsonObject {
  const { name, grant } = connection;
  const toSecret = (field: string) => ({
    [field]: refer([name, field], placeOf("oauth_connection", connection, field)),
  });
  return {
    ...settingsOf("connection", connection),
    ...toSecret("client_secret"),
    ...(grant === "refresh_token" ? toSecret("refresh_token") : {}),
  };
}

function toUpstream(upstream: JsonObject, refer: Refer): JsonObject {
  const settings = settingsOf("upstream", upstream);
  if (upstream["has_bearer_token"] !== true) return settings;
  const place = placeOf("upstream", upstream, "bearer_token");
  return { ...settings, bearer_token: refer([upstream["prefix"], "bearer_token"], place) };
}

function toEndpoint({ settings, guardrails }: EndpointState, refer: Refer): JsonObject {
  const { uuid: owner, slug } = settings;
  const policy = toPolicy(guardrails, { owner, parts: [slug], refer });
  return { ...settingsOf("endpoint", settings), ...toAuth(settings, refer), ...policy };
}

/** The secret part of an API endpoint's auth, which the endpoint does not show. */
function toAuth({ auth, slug, uuid }: JsonObject, refer: Refer): JsonObject {
  const type = isJsonObject(auth) ? auth["type"] : undefined;
  const field = type === "header" ? "value" : type === "basic" ? "password" : undefined;
  if (!isJsonObject(auth) || field === undefined) return {};
  return { auth: { ...auth, [field]: refer([slug, field], `endpoint/${String(uuid)}/auth`) } };
}

interface PolicyOwner {
  /** The uuid of the project or the endpoint. */
  readonly owner: unknown;
  /** By which the names of its secrets begin. */
  readonly parts: readonly unknown[];
  readonly refer: Refer;
}

function toPolicy(policy: JsonObject | undefined, { owner, parts, refer }: PolicyOwner): JsonObject {
  if (policy === undefined) return {};
  const { external, ...settings } = settingsOf("policy", policy);
  const entries = (Array.isArray(external) ? external.filter(isJsonObject) : []).map((entry) => {
    const { secret_kept: isKept, secret: _reference, ...shown } = entry;
    if (isKept !== true) return shown;
    const place = `guardrails/${String(owner)}/${String(entry["name"])}`;
    return { ...shown, secret: refer([...parts, "guardrails", entry["name"], "secret"], place) };
  });
  return { guardrails: { ...settings, ...listed("external", entries) } };
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
