import type { JsonObject } from "@gatehouse/json-rpc";
import { isSameSetting } from "./compare.ts";
import { secretSettings } from "./secret-settings.ts";

/** The names of the wanted settings that are not so already. */
export function differing(wanted: JsonObject, current: JsonObject): string[] {
  return Object.keys(wanted).filter(
    (name) => !secretSettings.has(name) && !isSettled(name, wanted[name], current[name]),
  );
}

/** Lists in which neither order nor repeats mean anything; the order of targets does. */
const sets: ReadonlySet<string> = new Set([
  "scopes",
  "events",
  "allowed_methods",
  "allowed_tools",
  "denied_tools",
  "endpoints",
  "tools",
  "networks",
]);
/** Moments, which are kept in UTC. */
const moments: ReadonlySet<string> = new Set(["expires_at"]);
/** URLs, some of which are kept as a parser writes them. */
const urls: ReadonlySet<string> = new Set(["url", "base_url", "upstream_url", "token_url", "jwks_url"]);

function isSettled(name: string, wanted: unknown, current: unknown): boolean {
  if (wanted === undefined) return true;
  if (name === "auth") return isSameAuth(wanted, current);
  return isSameSetting(inStoredForm(name, wanted), inStoredForm(name, current));
}

/** Authorisation of an API endpoint, as far as it can be read. */
function isSameAuth(wanted: unknown, current: unknown): boolean {
  const readable = (auth: unknown) => {
    const { value: _value, password: _password, ...rest } = (auth ?? { type: "none" }) as JsonObject;
    return rest;
  };
  return isSameSetting(readable(wanted), readable(current));
}

/** Named members of settings; undefined for one that is absent. */
export function pick(settings: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, settings[name]]));
}

/** A value as its owner keeps it: a document that writes it otherwise asks for no change. */
function inStoredForm(name: string, value: unknown): unknown {
  if (sets.has(name) && Array.isArray(value)) return toSet(name, value);
  if (typeof value !== "string") return value;
  if (moments.has(name)) return toMoment(value);
  return urls.has(name) ? (URL.parse(value)?.href ?? value) : value;
}

/** In UTC; a text that is no moment is left for its operation to refuse. */
function toMoment(text: string): string {
  const moment = new Date(text.toUpperCase());
  return Number.isNaN(moment.valueOf()) ? text : moment.toISOString();
}

function toSet(name: string, members: readonly unknown[]): readonly string[] {
  const texts = members.map((member) => (name === "allowed_methods" ? String(member).toUpperCase() : String(member)));
  return [...new Set(texts)].toSorted();
}
