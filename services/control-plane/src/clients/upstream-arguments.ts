import { GatewayError } from "@gatehouse/errors";
import {
  type Argument,
  argument,
  flag,
  idReference,
  integer,
  list,
  nullable,
  oneOf,
  optional,
  reference,
  text,
} from "../domain/arguments.ts";
import { isRowId } from "../domain/row-id.ts";

const prefixLengthMax = 24;
const urlLengthMax = 2_048;
const tokenLengthMax = 8_192;
const toolsMax = 1_000;
const toolNameLengthMax = 256;
const callTimeoutMsMax = 3_600_000;
const listTimeoutMsMax = 60_000;

/** The bounds of calls that ask an upstream something, ms: the longest listing, and what comes before it. */
export const upstreamQuestionDeadlineMs = listTimeoutMsMax + 15_000;

const anyText = reference("");

/** Shown with its rule; the aggregator checks it, and names the rule. */
const prefix: Argument<string> = argument(
  {
    type: "string",
    description: 'What the names of its tools begin with, before "__". Unique in the project.',
    pattern: "^(?!.*__)[A-Za-z0-9_-]*[A-Za-z0-9-]$",
    minLength: 1,
    maxLength: prefixLengthMax,
  },
  (value, field) => anyText.read(value, field),
);

const urlText = text({ description: "The MCP server's address: an http or https URL.", lengthMax: urlLengthMax });

/** The aggregator checks it with the guard that its calls pass. */
const url: Argument<string> = argument({ ...urlText.schema, format: "uri" }, (value, field) =>
  urlText.read(value, field),
);

const bearerToken = text({
  description: "Sent to the upstream as `Authorization: Bearer …`. It is sealed, and never shown again.",
  lengthMax: tokenLengthMax,
});

const toolPattern = text({
  description: "A tool's name without the prefix; a * at the end stands for any rest.",
  lengthMax: toolNameLengthMax,
});

/** In an update null gives a setting its default back. */
export const upstreamSettingArguments = {
  allowed_tools: nullable(list(toolPattern, { description: "Only these tools; null for all.", min: 0, max: toolsMax })),
  denied_tools: nullable(
    list(toolPattern, { description: "Never these tools, also where they are allowed.", min: 0, max: toolsMax }),
  ),
  on_tools_changed: nullable(
    oneOf(
      "What happens when a tool's definition differs from the approved one: allow approves it, warn (the default) lists it, hide " +
        "does not list it, block refuses its calls too.",
      ["allow", "warn", "hide", "block"],
    ),
  ),
  session_mode: nullable(
    oneOf("Who shares a session of the upstream; per_token is the default.", ["per_token", "shared", "per_call"]),
  ),
  pass_metadata: nullable(flag("Whether titles, annotations, output schemas and icons of tools are listed.")),
  call_timeout_ms: nullable(
    integer({ description: "One call as a whole; 5 minutes by default.", min: 100, max: callTimeoutMsMax }),
  ),
  list_timeout_ms: nullable(
    integer({ description: "One listing as a whole; 5 seconds by default.", min: 100, max: listTimeoutMsMax }),
  ),
};

export const upstreamId = idReference("The upstream's id.");

export const newUpstreamArguments = {
  prefix,
  url,
  bearer_token: optional(bearerToken),
  ...upstreamSettingArguments,
};

/** What is absent stays. */
export const upstreamChangeArguments = {
  prefix: optional(prefix),
  url: optional(url),
  bearer_token: nullable(bearerToken),
  is_active: optional(flag("An inactive upstream's tools are neither listed nor called.")),
  ...upstreamSettingArguments,
};

export const approvedToolArguments = {
  tools: optional(
    list(text({ description: "A tool's name without the prefix.", lengthMax: toolNameLengthMax }), {
      description: "All tools that have changed where absent.",
      min: 1,
      max: toolsMax,
    }),
  ),
};

type SettingArguments = { readonly [Name in keyof typeof upstreamSettingArguments]: unknown };

/** JSON text of the settings that a call names, null included. */
export function toSettingsJson(args: SettingArguments): string {
  const names = Object.keys(upstreamSettingArguments) as (keyof SettingArguments)[];
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, args[name]])));
}

/** @throws `Upstream not found: <id>` for a number that is no row's id. */
export function requireUpstreamId(id: number): number {
  if (isRowId(id)) return id;
  throw new GatewayError("not_found", `Upstream not found: ${id}`);
}
