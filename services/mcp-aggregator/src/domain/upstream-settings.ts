import { isJsonObject, type JsonObject } from "@gatehouse/json-rpc";
import type { UpstreamSettings } from "./upstream.ts";

const minuteMs = 60_000;

interface Field<T> {
  /** The setting's name as administrators know it. */
  readonly member: string;
  readonly fallback: T;
}

type Fields = { readonly [Name in keyof UpstreamSettings]: Field<UpstreamSettings[Name]> };

const fields: Fields = {
  allowedTools: { member: "allowed_tools", fallback: null },
  deniedTools: { member: "denied_tools", fallback: [] },
  onToolsChanged: { member: "on_tools_changed", fallback: "warn" },
  sessionMode: { member: "session_mode", fallback: "per_token" },
  passMetadata: { member: "pass_metadata", fallback: false },
  callTimeoutMs: { member: "call_timeout_ms", fallback: 5 * minuteMs },
  listTimeoutMs: { member: "list_timeout_ms", fallback: 5_000 },
};

/** The settings of a kept document, which was checked before it was saved, with every default filled in; null counts as absent. */
export function readSettings(document: unknown): UpstreamSettings {
  const kept = isJsonObject(document) ? document : {};
  const values = Object.entries(fields).map(([name, { member, fallback }]: [string, Field<unknown>]) => [
    name,
    kept[member] ?? fallback,
  ]);
  return Object.fromEntries(values) as UpstreamSettings;
}

/** Lays checked changes over a kept document; null gives a setting its default back, which is not kept. */
export function changeSettings(kept: unknown, changes: JsonObject): JsonObject {
  const merged = { ...(isJsonObject(kept) ? kept : {}), ...changes };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null && value !== undefined));
}

/** Whether a tool may be listed and called; a denied name stays denied even where it is allowed too. */
export function isToolAllowed(name: string, { allowedTools, deniedTools }: UpstreamSettings): boolean {
  if (deniedTools.some((pattern) => matches(pattern, name))) return false;
  return allowedTools === null || allowedTools.some((pattern) => matches(pattern, name));
}

/** A `*` at the end stands for any rest, also an empty one. */
function matches(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}
