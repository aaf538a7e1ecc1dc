import {
  array,
  boolean,
  type Columns,
  defineResource,
  integer,
  nullable,
  oneOf,
  string,
  writableOptional,
} from "@gatehouse/admin";
import { isJsonObject, type JsonObject } from "@gatehouse/json-rpc";
import { matchesPattern } from "@gatehouse/principal";

const minuteMs = 60_000;
const toolsMax = 1_000;
const timeoutMsMin = 100;
const callTimeoutMsMax = 3_600_000;
/** Bound of one whole listing. */
export const listTimeoutMsMax = 60_000;
const toolNameLengthMax = 256;

/** A tool of an upstream, without the upstream's prefix. */
export const toolName = (description: string) => string({ description, lengthMax: toolNameLengthMax });

const toolPatterns = (description: string) =>
  nullable(
    array(toolName("A tool's name without the prefix; a * stands for any characters."), {
      description,
      min: 0,
      max: toolsMax,
    }),
  );

/** Policy for a tool whose definition differs from the approved one. */
const toolsChangedModes = ["allow", "warn", "hide", "block"] as const;
const sessionModes = ["per_token", "shared", "per_call"] as const;

/** Settings of an upstream; null: the default. */
export const settings = defineResource({
  allowed_tools: writableOptional(toolPatterns("Only these tools; null for all.")),
  denied_tools: writableOptional(toolPatterns("Never these tools, also where they are allowed.")),
  on_tools_changed: writableOptional(
    nullable(
      oneOf(
        "Action when a tool's definition differs from the approved one: allow approves it, warn (the default) lists it, hide " +
          "does not list it, block refuses its calls too.",
        toolsChangedModes,
      ),
    ),
  ),
  session_mode: writableOptional(
    nullable(oneOf("Callers that share a session of the upstream; per_token is the default.", sessionModes)),
  ),
  pass_metadata: writableOptional(
    nullable(boolean("Whether titles, annotations, output schemas and icons of tools are listed.")),
  ),
  call_timeout_ms: writableOptional(
    nullable(
      integer({ description: "One call as a whole; 5 minutes by default.", min: timeoutMsMin, max: callTimeoutMsMax }),
    ),
  ),
  list_timeout_ms: writableOptional(
    nullable(
      integer({
        description: "One listing as a whole; 5 seconds by default.",
        min: timeoutMsMin,
        max: listTimeoutMsMax,
      }),
    ),
  ),
});

type GivenSettings = Columns<typeof settings.fields>;

/** Settings with defaults filled in. Without a list of allowed tools, every tool is allowed. */
export type UpstreamSettings = {
  readonly [Name in keyof GivenSettings]: Name extends "allowedTools"
    ? GivenSettings[Name]
    : NonNullable<GivenSettings[Name]>;
};

const defaults: UpstreamSettings = {
  allowedTools: null,
  deniedTools: [],
  onToolsChanged: "warn",
  sessionMode: "per_token",
  passMetadata: false,
  callTimeoutMs: 5 * minuteMs,
  listTimeoutMs: 5_000,
};

/** Reads the settings of a stored document, which was validated when saved, with defaults filled in; null counts as absent. */
export function readSettings(document: unknown): UpstreamSettings {
  const kept = settings.toColumns(isJsonObject(document) ? document : {});
  return { ...defaults, ...Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== null)) };
}

/** Applies validated changes to a stored document; null restores a default, which is not stored. */
export function changeSettings(kept: unknown, changes: JsonObject): JsonObject {
  const merged = { ...(isJsonObject(kept) ? kept : {}), ...changes };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null && value !== undefined));
}

/** Names of the settings that differ after changes; an explicit default does not differ. */
export function changedSettings(kept: unknown, changes: JsonObject): string[] {
  const after = settings.encode(readSettings(changeSettings(kept, changes)));
  const named = Object.fromEntries(Object.keys(changes).map((name) => [name, after[name]]));
  return settings.changedFields(readSettings(kept), named);
}

/** Whether a tool may be listed and called; denial takes precedence. */
export function isToolAllowed(name: string, { allowedTools, deniedTools }: UpstreamSettings): boolean {
  if (deniedTools.length > 0 && isDenied(name, deniedTools)) return false;
  return allowedTools === null || allowedTools.some((pattern) => matchesPattern(pattern, name));
}

/** No pattern is compared with a name longer than any that is listed, so that such a name is denied. */
function isDenied(name: string, patterns: readonly string[]): boolean {
  return name.length > toolNameLengthMax || patterns.some((pattern) => matchesPattern(pattern, name));
}
