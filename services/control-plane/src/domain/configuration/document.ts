import {
  flag,
  jsonObject,
  list,
  numberOrText,
  openRecord,
  optional,
  record,
  reference,
  type ValueOf,
} from "@gatehouse/admin";
import { GatewayError } from "@gatehouse/errors";
import type { JsonObject } from "@gatehouse/json-rpc";
import { subjectsMax } from "../issuer.ts";

/** The form of configuration documents. A later form gets another number. */
export const documentVersion = 1;

const projectsMax = 10_000;
const itemsMax = 10_000;
const policyLengthMax = 256 * 1024;

const itemName = reference("The name it is known by.");
const active = optional(flag("Whether it is in use; left as it is where absent."));
const policy = optional(jsonObject("A guardrail policy, as svc_set_guardrails takes it.", policyLengthMax));

const credential = openRecord({ name: itemName, is_active: active });
const provider = openRecord({
  name: itemName,
  enabled: active,
  credentials: optional(list(credential, { description: "Its keys.", min: 0, max: itemsMax })),
});
const endpoint = openRecord({ slug: itemName, is_active: active, guardrails: policy });
const upstream = openRecord({ prefix: itemName, is_active: active });
const webhook = openRecord({ name: itemName, is_active: active });
const token = openRecord({ name: itemName });
const issuer = openRecord({
  issuer: reference("Its URL, by which it is known."),
  revoked_subjects: optional(
    list(reference("A subject (sub)."), {
      description: "Whose tokens are refused; those that it does not name stay as they are.",
      min: 0,
      max: subjectsMax,
    }),
  ),
});
const connection = openRecord({ name: itemName });

const project = openRecord({
  uuid: optional(reference("Which project is meant; by its name where absent.")),
  name: itemName,
  project_type: reference("As svc_create_project takes it."),
  guardrails: policy,
  tokens: optional(list(token, { description: "Access tokens, made where none has the name.", min: 0, max: itemsMax })),
  issuers: optional(list(issuer, { description: "Identity providers, by URL.", min: 0, max: itemsMax })),
  oauth_connections: optional(list(connection, { description: "OAuth connections.", min: 0, max: itemsMax })),
  endpoints: optional(list(endpoint, { description: "Endpoints, by slug.", min: 0, max: itemsMax })),
  upstreams: optional(list(upstream, { description: "Upstream MCP servers, by prefix.", min: 0, max: itemsMax })),
  webhooks: optional(list(webhook, { description: "Webhooks, by name.", min: 0, max: itemsMax })),
});

/**
 * A configuration as one document. What an item does not name is left as it is. The settings of an item are checked by the
 * operation that sets them; here only what says which item is meant.
 */
export const documentSchema = record(
  {
    // People write the version as a number.
    version: numberOrText("The form of the document.", documentVersion),
    providers: optional(list(provider, { description: "Model providers, by name.", min: 0, max: itemsMax })),
    projects: optional(list(project, { description: "Projects with what is in them.", min: 0, max: projectsMax })),
  },
  "The wanted configuration.",
);

/** A document of `svc_apply_config`, checked. */
export type ConfigurationDocument = ValueOf<typeof documentSchema>;
/** A project of a document, with its members. */
export type DocumentProject = NonNullable<ConfigurationDocument["projects"]>[number];
/** A provider of a document, with its credentials. */
export type DocumentProvider = NonNullable<ConfigurationDocument["providers"]>[number];

/** Tokens, webhooks and credentials may share a name. @throws GatewayError `invalid_argument` naming the place. */
export function refuseRepeats({ providers = [], projects = [] }: ConfigurationDocument): void {
  refuseRepeated(providers, "name", "document.providers");
  const nameless = projects.filter(({ uuid }) => uuid === undefined);
  refuseRepeated(nameless, "name", "document.projects");
  for (const [index, owner] of projects.entries()) {
    const at = `document.projects[${index}]`;
    refuseRepeated(owner.endpoints ?? [], "slug", `${at}.endpoints`);
    refuseRepeated(owner.upstreams ?? [], "prefix", `${at}.upstreams`);
    refuseRepeated(owner.issuers ?? [], "issuer", `${at}.issuers`);
    refuseRepeated(owner.oauth_connections ?? [], "name", `${at}.oauth_connections`);
  }
}

function refuseRepeated(items: readonly JsonObject[], key: string, at: string): void {
  const seen = new Set<unknown>();
  for (const item of items) {
    if (seen.has(item[key])) throw new GatewayError("invalid_argument", `${at} has ${String(item[key])} twice`);
    seen.add(item[key]);
  }
}
