import { GatewayError } from "@gatehouse/errors";
import { isJsonObject, type JsonObject } from "@gatehouse/json-rpc";
import { sessionModes, toolsChangedModes, type UpstreamSettings } from "./upstream.ts";

const toolsMax = 1_000;
const toolNameLengthMax = 256;
const minuteMs = 60_000;
const callTimeout = { min: 100, max: 60 * minuteMs, fallback: 5 * minuteMs };
const listTimeout = { min: 100, max: minuteMs, fallback: 5_000 };

/** One setting: its member in the JSON document, and the reader of a value that is not null. */
interface Field<T> {
  readonly member: string;
  readonly fallback: T;
  readonly read: (value: unknown, member: string) => T;
}

type Fields = { readonly [Name in keyof UpstreamSettings]: Field<UpstreamSettings[Name]> };

const fields: Fields = {
  allowedTools: { member: "allowed_tools", fallback: null, read: readNames },
  deniedTools: { member: "denied_tools", fallback: [], read: readNames },
  onToolsChanged: { member: "on_tools_changed", fallback: "warn", read: choice(toolsChangedModes) },
  sessionMode: { member: "session_mode", fallback: "per_token", read: choice(sessionModes) },
  passMetadata: { member: "pass_metadata", fallback: false, read: readFlag },
  callTimeoutMs: { member: "call_timeout_ms", fallback: callTimeout.fallback, read: milliseconds(callTimeout) },
  listTimeoutMs: { member: "list_timeout_ms", fallback: listTimeout.fallback, read: milliseconds(listTimeout) },
};

const names = Object.keys(fields) as (keyof UpstreamSettings)[];

/** The settings of a document, with every default filled in; null counts as absent. @throws as {@link changeSettings} */
export function readSettings(document: unknown): UpstreamSettings {
  return changeSettings({}, document).settings;
}

export interface ChangedSettings {
  readonly settings: UpstreamSettings;
  /** Only what differs from the defaults, for keeping. */
  readonly document: JsonObject;
}

/**
 * Lays changes over a kept document; null gives a setting its default back.
 * @throws GatewayError `invalid_argument` naming the setting.
 */
export function changeSettings(kept: unknown, changes: unknown): ChangedSettings {
  if (!isJsonObject(changes)) throw new GatewayError("invalid_argument", "settings must be object");
  const unknown = Object.keys(changes).find((member) => !names.some((name) => fields[name].member === member));
  if (unknown !== undefined) throw new GatewayError("invalid_argument", `Unknown setting: ${unknown.slice(0, 100)}`);
  const merged = { ...(isJsonObject(kept) ? kept : {}), ...changes };
  const values = names.map((name) => [name, readField<unknown>(fields[name], merged)] as const);
  const document = Object.entries(merged).filter(([, value]) => value !== null && value !== undefined);
  return { settings: Object.fromEntries(values) as never, document: Object.fromEntries(document) };
}

/** The document with every default filled in, as administrators see it. */
export function encodeSettings(settings: UpstreamSettings): JsonObject {
  return Object.fromEntries(names.map((name) => [fields[name].member, settings[name]]));
}

function readField<T>({ member, fallback, read }: Field<T>, document: JsonObject): T {
  const value = document[member];
  return value === undefined || value === null ? fallback : read(value, member);
}

function invalid(member: string, problem: string): GatewayError {
  return new GatewayError("invalid_argument", `${member} ${problem}`);
}

function readNames(value: unknown, member: string): readonly string[] {
  if (!Array.isArray(value)) throw invalid(member, "must be array");
  if (value.length > toolsMax) throw invalid(member, `must have at most ${toolsMax} items`);
  return value.map((name: unknown, index) => {
    if (typeof name !== "string" || name === "" || name.length > toolNameLengthMax) {
      throw invalid(`${member}[${index}]`, `must be a string of 1 to ${toolNameLengthMax} characters`);
    }
    if (!name.isWellFormed() || /\p{Cc}/u.test(name)) {
      throw invalid(`${member}[${index}]`, "must not have control characters");
    }
    return name;
  });
}

function choice<const T extends string>(choices: readonly T[]) {
  return (value: unknown, member: string): T => {
    const found = choices.find((candidate) => candidate === value);
    if (found === undefined) throw new GatewayError("invalid_argument", `Invalid ${member}: ${quote(value)}`);
    return found;
  };
}

function quote(value: unknown): string {
  return (typeof value === "string" ? value : JSON.stringify(value)).slice(0, 100);
}

function readFlag(value: unknown, member: string): boolean {
  if (typeof value !== "boolean") throw invalid(member, "must be boolean");
  return value;
}

function milliseconds({ min, max }: { readonly min: number; readonly max: number }) {
  return (value: unknown, member: string): number => {
    if (typeof value !== "number" || !Number.isInteger(value)) throw invalid(member, "must be integer");
    if (value < min || value > max) throw invalid(member, `must be from ${min} to ${max}`);
    return value;
  };
}
