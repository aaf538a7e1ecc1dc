import {
  defineOperation,
  flag,
  isUuid,
  page,
  project,
  record,
  reference,
  resourceNotFound,
  toPageRequest,
} from "@gatehouse/admin";
import type { EndpointAuth, EndpointSettings } from "../domain/endpoint.ts";
import { checkAuth, checkUpstreamUrl } from "../domain/endpoint-rules.ts";
import {
  createEndpoint,
  deleteEndpoint,
  getEndpoint,
  listEndpoints,
  setEndpointActive,
  updateEndpoint,
} from "../store/endpoints.ts";
import { type AdminContext, readProject, writeProject } from "./admin-context.ts";
import { endpoint } from "./endpoint.ts";

const endpointUuid = reference("The endpoint's uuid.");

/** @throws GatewayError `not_found` for a text that is no uuid. */
function requireUuid(given: string): string {
  if (isUuid(given)) return given.toLowerCase();
  throw resourceNotFound("Endpoint", given);
}

/** Chat owns operations of the same names for ai_gateway and ai_wrapper projects; shared descriptions are the same there. */
const forProjects = {
  projectTypes: ["api_gateway"],
  refuseProjectType: (type: string) => `Projects of type ${type} cannot have endpoints in this version.`,
} as const;

const forEndpoints = {
  ...forProjects,
  subject: {
    argument: "endpoint",
    findProject: async (given: string, { store }: AdminContext) =>
      (await getEndpoint(store, requireUuid(given))).projectUuid,
  },
} as const;

const none: EndpointAuth = { type: "none" };

/** The table's columns are the settings and the auth. */
interface Columns extends EndpointSettings {
  readonly auth?: EndpointAuth;
}

const create = defineOperation({
  ...forProjects,
  name: "svc_create_endpoint",
  description: "In an api_gateway project it passes requests on to a URL.",
  access: writeProject,
  input: record({ project, ...endpoint.createInput }),
  async run({ input, origin }, { store, readUpstreamUrl }: AdminContext) {
    const { auth = none, ...given } = endpoint.toNewColumns(input) as unknown as Columns;
    checkUpstreamUrl(given.upstreamUrl);
    checkAuth(auth);
    const { url: upstreamUrl, warning } = await readUpstreamUrl(given.upstreamUrl);
    const made = { projectUuid: input.project, settings: { ...given, upstreamUrl }, auth };
    return withWarning(endpoint.encode(await createEndpoint(store, made, origin)), warning);
  },
});

const list = defineOperation({
  ...forProjects,
  name: "svc_list_endpoints",
  description: "Lists a project's endpoints, oldest first.",
  access: readProject,
  input: record({ project, ...page }),
  async run({ input }, { store }: AdminContext) {
    const { items, nextCursor } = await listEndpoints(store, { ...toPageRequest(input), projectUuid: input.project });
    return { endpoints: items.map(endpoint.encode), next_cursor: nextCursor ?? null };
  },
});

const get = defineOperation({
  ...forEndpoints,
  name: "svc_get_endpoint",
  description: "Shows one endpoint.",
  access: readProject,
  input: record({ endpoint: endpointUuid }),
  run: async ({ input }, { store }: AdminContext) =>
    endpoint.encode(await getEndpoint(store, requireUuid(input.endpoint))),
});

const update = defineOperation({
  ...forEndpoints,
  name: "svc_update_endpoint",
  description: "Changes an endpoint; what is not named stays, null takes an optional setting away.",
  access: writeProject,
  input: record({ endpoint: endpointUuid, ...endpoint.updateInput }),
  async run({ input, origin }, { store, readUpstreamUrl }: AdminContext) {
    const { endpoint: given, ...changes } = input;
    const { auth, ...settings } = endpoint.toColumns(changes) as unknown as Partial<Columns>;
    if (auth !== undefined) checkAuth(auth);
    // The form is judged as it was written: a parser takes an empty query away.
    if (settings.upstreamUrl !== undefined) checkUpstreamUrl(settings.upstreamUrl);
    const address = settings.upstreamUrl === undefined ? undefined : await readUpstreamUrl(settings.upstreamUrl);
    const written = { ...settings, ...(address === undefined ? {} : { upstreamUrl: address.url }) };
    const changed = (present: object) => endpoint.changedFields(present, { ...changes, ...upstreamUrlOf(address) });
    const update = { uuid: requireUuid(given), settings: written, auth, changed };
    return withWarning(endpoint.encode(await updateEndpoint(store, update, origin)), address?.warning);
  },
});

const setActive = defineOperation({
  ...forEndpoints,
  name: "svc_set_endpoint_active",
  description:
    "Switches an endpoint on or off; an inactive one answers as if it did not exist. Repeating it is harmless.",
  access: writeProject,
  input: record({ endpoint: endpointUuid, is_active: flag("Whether it answers.") }),
  async run({ input, origin }, { store }: AdminContext) {
    const change = { uuid: requireUuid(input.endpoint), isActive: input.is_active };
    return endpoint.encode(await setEndpointActive(store, change, origin));
  },
});

const remove = defineOperation({
  ...forEndpoints,
  name: "svc_delete_endpoint",
  description: "Deletes an endpoint.",
  access: writeProject,
  input: record({ endpoint: endpointUuid }),
  async run({ input, origin }, { store }: AdminContext) {
    return { ...endpoint.encode(await deleteEndpoint(store, requireUuid(input.endpoint), origin)), deleted: true };
  },
});

export const endpointOperations = [create, list, get, update, setActive, remove] as const;

/** Stored in the form that a URL parser gives it. */
function upstreamUrlOf(address: { readonly url: string } | undefined) {
  return address === undefined ? {} : { upstream_url: address.url };
}

function withWarning(shown: Readonly<Record<string, unknown>>, warning: string | undefined) {
  return warning === undefined ? shown : { ...shown, warning };
}
