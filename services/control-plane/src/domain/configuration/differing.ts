import type { JsonObject } from "@gatehouse/json-rpc";
import { isSameSetting } from "./compare.ts";

/** Secrets that an item may bring: they cannot be compared, so they count only where the item is made. */
const secrets: ReadonlySet<string> = new Set(["api_key", "bearer_token", "client_secret", "refresh_token"]);

/** The names of the wanted settings that are not so already. */
export function differing(wanted: JsonObject, current: JsonObject): string[] {
  return Object.keys(wanted).filter((name) => !secrets.has(name) && !isSettled(name, wanted[name], current[name]));
}

/** The order of scopes, events and methods means nothing; that of targets does. */
const sets: ReadonlySet<string> = new Set(["scopes", "events", "allowed_methods", "allowed_tools", "denied_tools"]);

function isSettled(name: string, wanted: unknown, current: unknown): boolean {
  if (wanted === undefined) return true;
  if (name === "auth") return isSameAuth(wanted, current);
  if (sets.has(name) && Array.isArray(wanted) && Array.isArray(current)) {
    return isSameSetting(inOrder(wanted), inOrder(current));
  }
  return isSameSetting(wanted, current);
}

/** How an API endpoint is authorised, as far as it can be read. */
function isSameAuth(wanted: unknown, current: unknown): boolean {
  const readable = (auth: unknown) => {
    const { value: _value, password: _password, ...rest } = (auth ?? { type: "none" }) as JsonObject;
    return rest;
  };
  return isSameSetting(readable(wanted), readable(current));
}

export function pick(settings: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, settings[name]]));
}

function inOrder(members: readonly unknown[]): readonly string[] {
  return members.map(String).toSorted((one, other) => (one < other ? -1 : 1));
}
