import { isJsonObject, type JsonObject } from "@gatehouse/json-rpc";
import { documentVersion } from "./document.ts";
import type { ItemKind } from "./planned-change.ts";
import { SecretNames } from "./secret-references.ts";
import type { SettingNames } from "./setting-names.ts";
import type { ConfigurationState, EndpointState, IssuerState, ProjectState, ProviderState } from "./state.ts";

interface ExportedDocument {
  readonly document: JsonObject;
  readonly secretNames: readonly string[];
  /** Name of each secret, by the place under which its owner stores it. */
  readonly secretPlaces: Readonly<Record<string, string>>;
}

/**
 * Converts a state to a document for `svc_apply_config`. Secrets, which cannot be read, become `${NAME}`; unset settings are
 * omitted.
 */
export function toDocument(state: ConfigurationState, settings: SettingNames): ExportedDocument {
  const names = new SecretNames(state);
  const document = new DocumentWriter(settings, names).write(state);
  return { document, secretNames: names.list(), secretPlaces: names.places() };
}

/** The place under which an owner stores a secret. */
function placeOf(kind: string, { id }: JsonObject, field: string): string {
  return `${kind}/${String(id)}/${field}`;
}

class DocumentWriter {
  readonly #settingNames: SettingNames;
  readonly #secretNames: SecretNames;

  constructor(settingNames: SettingNames, secretNames: SecretNames) {
    this.#settingNames = settingNames;
    this.#secretNames = secretNames;
  }

  write({ providers, projects }: ConfigurationState): JsonObject {
    return {
      version: documentVersion,
      providers: providers.map((provider) => this.#toProvider(provider)),
      projects: projects.map((project) => this.#toProject(project)),
    };
  }

  #toProvider({ settings, credentials }: ProviderState): JsonObject {
    const withKeys = credentials.map((credential) => ({
      ...this.#settingsOf("credential", credential),
      api_key: this.#refer(
        [settings["name"], credential["name"], "api_key"],
        placeOf("credential", credential, "api_key"),
      ),
    }));
    return { ...this.#settingsOf("provider", settings), ...listed("credentials", withKeys) };
  }

  #toProject(project: ProjectState): JsonObject {
    const { settings, guardrails, tokens, issuers, oauthConnections, endpoints, upstreams, webhooks } = project;
    const { uuid, name } = settings;
    const parts = [name];
    return {
      // Identifies the project when the document is applied.
      uuid,
      ...this.#settingsOf("project", settings),
      // Null is a value here: unlimited.
      rate_limit_per_minute: settings["rate_limit_per_minute"] ?? null,
      rate_limit_per_hour: settings["rate_limit_per_hour"] ?? null,
      ...this.#toPolicy(guardrails, uuid, parts),
      ...listed("tokens", this.#settingsOfAll("token", tokens)),
      ...listed(
        "issuers",
        issuers.map((issuer) => this.#toIssuer(issuer)),
      ),
      ...listed(
        "oauth_connections",
        oauthConnections.map((connection) => this.#toConnection(connection, parts)),
      ),
      ...listed(
        "endpoints",
        endpoints.map((endpoint) => this.#toEndpoint(endpoint, parts)),
      ),
      ...listed(
        "upstreams",
        upstreams.map((upstream) => this.#toUpstream(upstream, parts)),
      ),
      ...listed("webhooks", this.#settingsOfAll("webhook", webhooks)),
    };
  }

  #toIssuer({ settings, revokedSubjects }: IssuerState): JsonObject {
    const revoked = revokedSubjects.length === 0 ? {} : { revoked_subjects: revokedSubjects };
    return { ...this.#settingsOf("issuer", settings), ...revoked };
  }

  #toConnection(connection: JsonObject, parts: readonly unknown[]): JsonObject {
    const { name, grant } = connection;
    const toSecret = (field: string) => ({
      [field]: this.#refer([...parts, name, field], placeOf("oauth_connection", connection, field)),
    });
    return {
      ...this.#settingsOf("oauth_connection", connection),
      ...toSecret("client_secret"),
      ...(grant === "refresh_token" ? toSecret("refresh_token") : {}),
    };
  }

  #toUpstream(upstream: JsonObject, parts: readonly unknown[]): JsonObject {
    const settings = this.#settingsOf("upstream", upstream);
    if (upstream["has_bearer_token"] !== true) return settings;
    const place = placeOf("upstream", upstream, "bearer_token");
    return { ...settings, bearer_token: this.#refer([...parts, upstream["prefix"], "bearer_token"], place) };
  }

  #toEndpoint({ settings, guardrails }: EndpointState, parts: readonly unknown[]): JsonObject {
    const policy = this.#toPolicy(guardrails, settings["uuid"], [...parts, settings["slug"]]);
    return { ...this.#settingsOf("endpoint", settings), ...this.#toAuth(settings, parts), ...policy };
  }

  /** The secret part of an API endpoint's auth, which the endpoint does not show. */
  #toAuth({ auth, slug, uuid }: JsonObject, parts: readonly unknown[]): JsonObject {
    const type = isJsonObject(auth) ? auth["type"] : undefined;
    const field = type === "header" ? "value" : type === "basic" ? "password" : undefined;
    if (!isJsonObject(auth) || field === undefined) return {};
    return { auth: { ...auth, [field]: this.#refer([...parts, slug, field], `endpoint/${String(uuid)}/auth`) } };
  }

  /** @param owner uuid of the project or the endpoint @param parts prefix of the names of its secrets */
  #toPolicy(policy: JsonObject | undefined, owner: unknown, parts: readonly unknown[]): JsonObject {
    if (policy === undefined) return {};
    const { external, ...settings } = this.#settingsOf("guardrails", policy);
    const entries = (Array.isArray(external) ? external.filter(isJsonObject) : []).map((entry) => {
      const { secret_kept: isKept, secret: _reference, ...shown } = entry;
      if (isKept !== true) return shown;
      const place = `guardrails/${String(owner)}/${String(entry["name"])}`;
      return { ...shown, secret: this.#refer([...parts, "guardrails", entry["name"], "secret"], place) };
    });
    return { guardrails: { ...settings, ...listed("external", entries) } };
  }

  #refer(parts: readonly unknown[], place: string): string {
    return this.#secretNames.referTo(parts.map(String), place);
  }

  #settingsOfAll(kind: ItemKind, items: readonly JsonObject[]): readonly JsonObject[] {
    return items.map((item) => this.#settingsOf(kind, item));
  }

  #settingsOf(kind: ItemKind, item: JsonObject): JsonObject {
    const names = this.#settingNames.get(kind);
    const kept = Object.entries(withoutNulls(item)).filter(([name]) => names?.has(name));
    // Null is a value in a schema; a target omits prices that are null.
    return Object.fromEntries(kept.map(([name, value]) => [name, name === "targets" ? toTargets(value) : value]));
  }
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
