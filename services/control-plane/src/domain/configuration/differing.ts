import { isSameHost } from "@gatehouse/admin";
import { isJsonObject, type JsonObject } from "@gatehouse/json-rpc";
import { isSameSetting, withNullDefault } from "./compare.ts";
import { authSecrets } from "./secret-fields.ts";
import { secretSettings } from "./secret-settings.ts";

/**
 * Names of the wanted settings that differ, and of the secrets that a new host needs again. Owners show every setting of an item, so
 * one that they do not show counts as different even if it is null: its operation refuses it as unknown.
 */
export function differing(wanted: JsonObject, current: JsonObject): string[] {
  const fields = Object.keys(wanted).filter(
    (name) => !secretSettings.has(name) && !isSettled(name, wanted[name], current),
  );
  const moved = fields.filter((name) => !isSameHost(String(wanted[name]), String(current[name])));
  const needed = moved.flatMap((name) => secretsOfAddress[name] ?? []).filter((name) => hasSecret(name, wanted[name]));
  return [...new Set([...fields, ...needed])];
}

/** Settings with the secrets that are sent to an address, by its setting: a stored one stays with its host. */
const secretsOfAddress: Readonly<Record<string, readonly string[]>> = {
  url: ["bearer_token"],
  upstream_url: ["auth"],
  token_url: ["client_secret", "refresh_token"],
};

function hasSecret(name: string, wanted: unknown): boolean {
  if (name !== "auth") return typeof wanted === "string";
  return isJsonObject(wanted) && authSecrets.some((secret) => typeof wanted[secret] === "string");
}

/** Lists whose order and duplicates are irrelevant, unlike that of targets. */
const sets: ReadonlySet<string> = new Set([
  "scopes",
  "events",
  "allowed_methods",
  "allowed_parameters",
  "allowed_tools",
  "denied_tools",
  "endpoints",
  "tools",
  "networks",
]);
/** Times, which are stored in UTC. */
const moments: ReadonlySet<string> = new Set(["expires_at"]);
/** URLs, some of which are stored in normalised form. */
const urls: ReadonlySet<string> = new Set(["url", "base_url", "upstream_url", "token_url", "jwks_url"]);

function isSettled(name: string, wanted: unknown, current: JsonObject): boolean {
  if (wanted === undefined) return true;
  if (name === "auth") return isSameAuth(wanted, current[name]);
  const value = inStoredForm(name, withNullDefault(name, wanted));
  return Object.hasOwn(current, name) && isSameSetting(value, inStoredForm(name, current[name]));
}

/** Compares the readable parts of an API endpoint's auth. */
function isSameAuth(wanted: unknown, current: unknown): boolean {
  const readable = (auth: unknown) => {
    const { value: _value, password: _password, ...rest } = (auth ?? { type: "none" }) as JsonObject;
    return rest;
  };
  return isSameSetting(readable(wanted), readable(current));
}

/** The named members of settings; undefined where absent. */
export function pick(settings: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, settings[name]]));
}

/** A value in its stored form, so that another spelling is not a change. */
function inStoredForm(name: string, value: unknown): unknown {
  if (sets.has(name) && Array.isArray(value)) return toSet(name, value);
  if (typeof value !== "string") return value;
  if (moments.has(name)) return toMoment(value);
  return urls.has(name) ? (URL.parse(value)?.href ?? value) : value;
}

/** In UTC; an invalid time is left for the operation to refuse. */
function toMoment(text: string): string {
  const moment = new Date(text.toUpperCase());
  return Number.isNaN(moment.valueOf()) ? text : moment.toISOString();
}

function toSet(name: string, members: readonly unknown[]): readonly string[] {
  const texts = members.map((member) => (name === "allowed_methods" ? String(member).toUpperCase() : String(member)));
  return [...new Set(texts)].toSorted();
}
