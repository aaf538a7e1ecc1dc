import {
  array,
  boolean,
  looseObject,
  matching,
  numberOrString,
  object,
  optional,
  reference,
  uuidPattern,
  type ValueOf,
} from "@gatehouse/admin";
import { type GatewayError, invalidArgument } from "@gatehouse/errors";
import type { JsonObject } from "@gatehouse/json-rpc";
import { subjectsMax } from "../issuer.ts";
import { authWithSecrets, policyWithSecrets as policy, secretsOf } from "./secret-fields.ts";

/** Version of the document's format. */
export const documentVersion = 1;

const projectsMax = 10_000;
const itemsMax = 10_000;

/** Longer than a UUID, so that a refusal of one in another form names the form. */
const uuidTextLengthMax = 100;

const itemName = reference("The name it is known by.");
const active = optional(boolean("Whether it is in use; left as it is where absent."));

const credential = looseObject({ name: itemName, is_active: active, ...secretsOf("api_key") });
const provider = looseObject({
  name: itemName,
  enabled: active,
  credentials: optional(array(credential, { description: "Its keys.", min: 0, max: itemsMax })),
});
const endpoint = looseObject({ slug: itemName, is_active: active, auth: authWithSecrets, guardrails: policy });
const upstream = looseObject({ prefix: itemName, is_active: active, ...secretsOf("bearer_token") });
const webhook = looseObject({ name: itemName, is_active: active });
const token = looseObject({ name: itemName });
const issuer = looseObject({
  issuer: reference("Its URL, by which it is known."),
  revoked_subjects: optional(
    array(reference("A subject (sub)."), {
      description: "Subjects whose tokens are refused; those that it does not name stay as they are.",
      min: 0,
      max: subjectsMax,
    }),
  ),
});
const connection = looseObject({ name: itemName, ...secretsOf("client_secret", "refresh_token") });

const project = looseObject({
  uuid: optional(
    matching({
      description: "Which project is meant; by its name where absent, or where no project here has it.",
      lengthMax: uuidTextLengthMax,
      pattern: uuidPattern,
      problem: "must be a UUID without braces, as svc_list_projects shows it",
    }),
  ),
  name: itemName,
  project_type: reference("As svc_create_project takes it."),
  guardrails: policy,
  tokens: optional(
    array(token, { description: "Access tokens, made where none has the name.", min: 0, max: itemsMax }),
  ),
  issuers: optional(array(issuer, { description: "Identity providers, by URL.", min: 0, max: itemsMax })),
  oauth_connections: optional(array(connection, { description: "OAuth connections.", min: 0, max: itemsMax })),
  endpoints: optional(array(endpoint, { description: "Endpoints, by slug.", min: 0, max: itemsMax })),
  upstreams: optional(array(upstream, { description: "Upstream MCP servers, by prefix.", min: 0, max: itemsMax })),
  webhooks: optional(array(webhook, { description: "Webhooks, by name.", min: 0, max: itemsMax })),
});

/**
 * A configuration document. Settings that an item omits stay as they are. Only the identity of items is validated here; the
 * operations validate their settings.
 */
export const documentSchema = object(
  {
    // People write the version as a number.
    version: numberOrString("The form of the document.", documentVersion),
    providers: optional(array(provider, { description: "Model providers, by name.", min: 0, max: itemsMax })),
    projects: optional(array(project, { description: "Projects with what is in them.", min: 0, max: projectsMax })),
  },
  "The wanted configuration.",
);

/** Argument of `svc_apply_config` in the form of `documentSchema`. Further members of items are settings for operations. */
export type ConfigurationDocument = ValueOf<typeof documentSchema>;
/** Item of `projects`, identified by its uuid, or by name where that is absent. Members that it does not list stay. */
export type DocumentProject = NonNullable<ConfigurationDocument["projects"]>[number];
/** Item of `providers`, identified by name. Credentials that it does not list stay. */
export type DocumentProvider = NonNullable<ConfigurationDocument["providers"]>[number];

/** Arguments that identify an item; in a document its name and place do. */
const naming = {
  providers: ["provider"],
  credentials: ["provider", "credential_id"],
  projects: ["project"],
  guardrails: ["project", "endpoint", "clear"],
  tokens: ["project", "token_id"],
  issuers: ["project", "issuer_id"],
  oauth_connections: ["project", "connection_id"],
  endpoints: ["project", "endpoint"],
  upstreams: ["project", "upstream_id"],
  webhooks: ["project", "webhook_id"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/**
 * Refuses a document with duplicate items, or with arguments that identify an item otherwise than by its place. Tokens, webhooks
 * and credentials may share a name. @throws GatewayError `invalid_argument` naming the place
 */
export function refuseUnclear({ providers = [], projects = [] }: ConfigurationDocument): void {
  refuseUnclearItems(providers, { key: "name", list: "providers", within: "document" });
  for (const [index, { credentials = [] }] of providers.entries()) {
    refuseNaming(credentials, "credentials", `document.providers[${index}]`);
  }
  refuseNaming(projects, "projects", "document");
  refuseRepeatedProjects(projects);
  for (const [index, owner] of projects.entries()) {
    const within = `document.projects[${index}]`;
    const { endpoints = [], upstreams = [], issuers = [], oauth_connections: connections = [] } = owner;
    refuseUnclearItems(endpoints, { key: "slug", list: "endpoints", within });
    refuseUnclearItems(upstreams, { key: "prefix", list: "upstreams", within });
    refuseUnclearItems(issuers, { key: "issuer", list: "issuers", within });
    refuseUnclearItems(connections, { key: "name", list: "oauth_connections", within });
    refuseNaming(owner.tokens ?? [], "tokens", within);
    refuseNaming(owner.webhooks ?? [], "webhooks", within);
    refuseNamed(owner.guardrails ?? {}, naming.guardrails, `${within}.guardrails`);
    for (const [at, { guardrails }] of endpoints.entries()) {
      refuseNamed(guardrails ?? {}, naming.guardrails, `${within}.endpoints[${at}].guardrails`);
    }
  }
}

interface ItemList {
  /** The member that identifies an item. */
  readonly key: string;
  readonly list: keyof typeof naming;
  readonly within: string;
}

function refuseUnclearItems(items: readonly JsonObject[], { key, list: name, within }: ItemList): void {
  refuseNaming(items, name, within);
  const seen = new Set<unknown>();
  for (const item of items) {
    if (seen.has(item[key])) throw repeated(`${within}.${name}`, item[key]);
    seen.add(item[key]);
  }
}

/** Projects may share a name if each has its uuid. */
function refuseRepeatedProjects(projects: readonly DocumentProject[]): void {
  for (const [name, namesakes] of Map.groupBy(projects, (each) => each.name)) {
    if (namesakes.length > 1 && namesakes.some(({ uuid }) => uuid === undefined)) {
      throw repeated("document.projects", name);
    }
  }
}

/** The error for a list with a duplicate item. */
export function repeated(at: string, name: unknown): GatewayError {
  return invalidArgument(`${at} has ${String(name)} twice`);
}

function refuseNaming(items: readonly JsonObject[], name: keyof typeof naming, within: string): void {
  for (const [index, item] of items.entries()) refuseNamed(item, naming[name], `${within}.${name}[${index}]`);
}

function refuseNamed(item: JsonObject, names: readonly string[], at: string): void {
  const name = names.find((each) => Object.hasOwn(item, each));
  if (name === undefined) return;
  const message = `${at}.${name} is not a setting: an item is known by its name and its place in the document`;
  throw invalidArgument(message);
}
