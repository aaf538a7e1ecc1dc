import {
  array,
  boolean,
  defineResource,
  id,
  integer,
  matching,
  nullable,
  oneOf,
  reference,
  refined,
  secret,
  shown,
  string,
  writable,
  writableOptional,
} from "@gatehouse/admin";
import type { UpstreamRuntime } from "../app/upstream-runtime.ts";
import { prefixLengthMax, prefixPattern } from "../domain/tool-name.ts";
import { sessionModes, toolsChangedModes, type Upstream } from "../domain/upstream.ts";
import { describeState, upstreamState } from "./upstream-state.ts";

const urlLengthMax = 2_048;
const tokenLengthMax = 8_192;
const toolsMax = 1_000;
const timeoutMsMin = 100;
const callTimeoutMsMax = 3_600_000;
/** One listing as a whole. */
export const listTimeoutMsMax = 60_000;

const prefix = matching({
  description: 'What the names of its tools begin with, before "__". Unique in the project.',
  lengthMax: prefixLengthMax,
  pattern: prefixPattern,
  problem: `must be 1 to ${prefixLengthMax} letters, digits, "-" and "_", with no "__" inside and no "_" at the end`,
});

/** Where it may lead is for the SSRF guard to say. */
const url = refined(
  string({
    description: "The MCP server's address: an http or https URL without credentials and fragment.",
    lengthMax: urlLengthMax,
    format: "uri",
  }),
  findUrlProblem,
);

const bearerToken = matching({
  description:
    "Sent to the upstream as `Authorization: Bearer …`. It is sealed, and never shown again; or where it is kept: env:NAME, file:/path.",
  lengthMax: tokenLengthMax,
  pattern: /^[\x21-\x7e]+$/,
  problem: "must be printable ASCII without spaces, and without 'Bearer '",
});

const toolNameLengthMax = 256;

/** A tool of an upstream, without the upstream's prefix. */
export const toolName = (description: string) => string({ description, lengthMax: toolNameLengthMax });

const toolPatterns = (description: string) =>
  nullable(
    array(toolName("A tool's name without the prefix; a * at the end stands for any rest."), {
      description,
      min: 0,
      max: toolsMax,
    }),
  );

/** An upstream with what the answering replica knows of it. */
interface ShownUpstream extends Upstream {
  readonly runtime: UpstreamRuntime | undefined;
}

const changeable = <Shown extends object>(field: Shown) => ({ ...field, update: true }) as const;

/** A registered MCP server. Of its settings null is the default. */
export const upstream = defineResource({
  id: shown(id("The upstream's id.")),
  project: shown(reference("The uuid of its project."), { column: "projectUuid" }),
  prefix: writable(prefix),
  url: writable(url),
  bearer_token: secret(nullable(bearerToken)),
  has_bearer_token: shown(boolean("Whether it has a token.")),
  bearer_token_reference: shown(nullable(reference("Where the token is kept; null for one that is sealed here."))),
  is_active: changeable(shown(boolean("An inactive upstream's tools are neither listed nor called."))),
  allowed_tools: writableOptional(toolPatterns("Only these tools; null for all."), {
    show: ({ settings }: Upstream) => settings.allowedTools,
  }),
  denied_tools: writableOptional(toolPatterns("Never these tools, also where they are allowed."), {
    show: ({ settings }: Upstream) => settings.deniedTools,
  }),
  on_tools_changed: writableOptional(
    nullable(
      oneOf(
        "What happens when a tool's definition differs from the approved one: allow approves it, warn (the default) lists it, hide " +
          "does not list it, block refuses its calls too.",
        toolsChangedModes,
      ),
    ),
    { show: ({ settings }: Upstream) => settings.onToolsChanged },
  ),
  session_mode: writableOptional(
    nullable(oneOf("Who shares a session of the upstream; per_token is the default.", sessionModes)),
    { show: ({ settings }: Upstream) => settings.sessionMode },
  ),
  pass_metadata: writableOptional(
    nullable(boolean("Whether titles, annotations, output schemas and icons of tools are listed.")),
    { show: ({ settings }: Upstream) => settings.passMetadata },
  ),
  call_timeout_ms: writableOptional(
    nullable(
      integer({ description: "One call as a whole; 5 minutes by default.", min: timeoutMsMin, max: callTimeoutMsMax }),
    ),
    { show: ({ settings }: Upstream) => settings.callTimeoutMs },
  ),
  list_timeout_ms: writableOptional(
    nullable(
      integer({
        description: "One listing as a whole; 5 seconds by default.",
        min: timeoutMsMin,
        max: listTimeoutMsMax,
      }),
    ),
    { show: ({ settings }: Upstream) => settings.listTimeoutMs },
  ),
  state: shown(reference("An object: what the answering replica knows of it; replicas differ."), {
    show: ({ runtime }: ShownUpstream) => describeState(runtime),
    shownAs: upstreamState,
  }),
  created_at: shown(reference("When it was registered.")),
  updated_at: shown(reference("When it was changed last.")),
});

function findUrlProblem(given: string): string | undefined {
  const parsed = URL.canParse(given) ? new URL(given) : undefined;
  if (parsed === undefined || (parsed.protocol !== "http:" && parsed.protocol !== "https:")) {
    return "must be a URL that starts with http:// or https://";
  }
  if (parsed.username !== "" || parsed.password !== "") return "must not carry credentials; use bearer_token";
  return parsed.hash === "" ? undefined : "must not have a fragment";
}
