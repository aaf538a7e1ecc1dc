import {
  boolean,
  defineResource,
  httpUrlRule,
  id,
  type JsonObject,
  matching,
  nullable,
  ofProject,
  reference,
  refined,
  secret,
  shown,
  string,
  urlLengthMax,
  writable,
  writableName,
} from "@gatehouse/admin";
import { prefixLengthMax, prefixPattern } from "../domain/tool-name.ts";
import { settings, type UpstreamSettings } from "../domain/upstream-settings.ts";
import type { Upstream } from "../domain/upstream.ts";
import { upstreamState } from "./upstream-state.ts";

const tokenLengthMax = 8_192;

const prefix = matching({
  description: 'Prefix of the names of its tools, before "__". Unique in the project.',
  lengthMax: prefixLengthMax,
  pattern: prefixPattern,
  problem: `must be 1 to ${prefixLengthMax} letters, digits, "-" and "_", with no "__" inside and no "_" at the end`,
});

/** Validates the form of the URL; the egress guard judges its address. */
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

/** An upstream with its settings as fields, and the state known to the answering replica. */
interface ShownUpstream extends Omit<Upstream, "settings">, UpstreamSettings {
  readonly state: JsonObject;
}

const changeable = <Shown extends object>(field: Shown) => ({ ...field, update: true }) as const;

/** A registered MCP server. Null settings have their defaults. */
export const upstream = defineResource({
  id: shown(id("The upstream's id.")),
  project: ofProject,
  prefix: writableName(prefix),
  url: writable(url),
  bearer_token: secret(nullable(bearerToken)),
  has_bearer_token: shown(boolean("Whether it has a token.")),
  bearer_token_reference: shown(
    nullable(reference("Reference to the token, env:NAME or file:/path; null for a token that is sealed here.")),
  ),
  is_active: changeable(shown(boolean("An inactive upstream's tools are neither listed nor called."))),
  ...settings.fields,
  state: shown(reference("An object: what the answering replica knows of it; replicas differ."), {
    show: ({ state }: ShownUpstream) => state,
    shownAs: upstreamState,
  }),
  created_at: shown(reference("When it was registered.")),
  updated_at: shown(reference("When it was changed last.")),
});

/** Upstream as results show it, without its bearer token. @param state of `describeState` */
export function encodeUpstream({ settings: own, ...known }: Upstream, state: JsonObject) {
  const row: ShownUpstream = { ...known, ...own, state };
  return upstream.encode(row);
}

function findUrlProblem(given: string): string | undefined {
  const parsed = URL.canParse(given) ? new URL(given) : undefined;
  if (parsed === undefined || (parsed.protocol !== "http:" && parsed.protocol !== "https:")) {
    return httpUrlRule;
  }
  if (parsed.username !== "" || parsed.password !== "") return "must not have credentials; use bearer_token";
  return parsed.hash === "" ? undefined : "must not have a fragment";
}
