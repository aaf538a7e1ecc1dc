import {
  defineCollection,
  defineOperation,
  endpointOperation,
  object,
  optional,
  project,
  string,
  uuidKey,
  writeProject,
} from "@gatehouse/admin";
import { endpoint, type EndpointSettings } from "../domain/endpoint-fields.ts";
import { checkAuth } from "../domain/endpoint-rules.ts";
import type { EndpointAuth } from "../domain/endpoint.ts";
import {
  checkAddress,
  createEndpoint,
  deleteEndpoint,
  getEndpoint,
  listEndpoints,
  requireConnection,
  requireFreeSlug,
  setEndpointActive,
  updateEndpoint,
} from "../store/endpoints.ts";
import type { AdminContext } from "./admin-context.ts";

/** Chat has operations of the same names for ai_gateway and ai_wrapper projects, with the same descriptions. */
const forProjects = {
  projectTypes: ["api_gateway"],
  refuseProjectType: endpointOperation.refuseProjectType,
} as const;

const endpoints = defineCollection({
  ...forProjects,
  list: "endpoints",
  key: uuidKey("Endpoint", "endpoint"),
  findProject: async (uuid, { store }: AdminContext) => (await getEndpoint(store, uuid)).projectUuid,
  shape: endpoint.shape,
  show: (row: object) => endpoint.encode(row),
});

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
  takesIdempotencyKey: true,
  input: object({ project, ...endpoint.createInput }),
  output: object({ ...endpoint.shape.properties, warning: optional(string()) }),
  async prepare({ input, planned }, { store, readUpstreamUrl }: AdminContext) {
    const { auth = none, ...given } = endpoint.toNewColumns(input) as unknown as Columns;
    checkAuth(auth);
    const { url: upstreamUrl, warning } = await readUpstreamUrl(given.upstreamUrl);
    await requireFreeSlug(store, input.project, given.slug);
    await requireConnection(store, auth, input.project, planned);
    return { made: { projectUuid: input.project, settings: { ...given, upstreamUrl }, auth }, warning };
  },
  run: async ({ initiator, prepared: { made, warning } }, { store }) =>
    withWarning(endpoint.encode(await createEndpoint(store, made, initiator)), warning),
});

const list = endpoints.list({
  ...endpointOperation.list,
  find: async ({ input }, page, { store }: AdminContext) =>
    await listEndpoints(store, { ...page, projectUuid: input.project }),
});

const get = endpoints.one({
  ...endpointOperation.get,
  run: async (uuid, _call, { store }: AdminContext) => await getEndpoint(store, uuid),
});

const update = endpoints.about({
  ...endpointOperation.update,
  input: endpoint.updateInput,
  output: object({ ...endpoint.shape.properties, warning: optional(string()) }),
  async prepare(uuid, { input: changes, planned }, { store, readUpstreamUrl }: AdminContext) {
    const { auth, ...settings } = endpoint.toColumns(changes) as unknown as Partial<Columns>;
    if (auth !== undefined) checkAuth(auth);
    const address = settings.upstreamUrl === undefined ? undefined : await readUpstreamUrl(settings.upstreamUrl);
    const present = await getEndpoint(store, uuid);
    const { slug, projectUuid } = present;
    checkAddress(present, { upstreamUrl: address?.url, auth });
    if (settings.slug !== undefined && settings.slug !== slug) await requireFreeSlug(store, projectUuid, settings.slug);
    if (auth !== undefined) await requireConnection(store, auth, projectUuid, planned);
    return { auth, settings, address };
  },
  async run(uuid, { input: changes, initiator, prepared: { auth, settings, address } }, { store }) {
    const written = { ...settings, ...(address === undefined ? {} : { upstreamUrl: address.url }) };
    const changed = (present: object) => endpoint.changedFields(present, { ...changes, ...upstreamUrlOf(address) });
    const update = { uuid, settings: written, auth, changed };
    return withWarning(endpoint.encode(await updateEndpoint(store, update, initiator)), address?.warning);
  },
});

const setActive = endpoints.one({
  ...endpointOperation.setActive,
  run: async (uuid, { input, initiator }, { store }: AdminContext) =>
    await setEndpointActive(store, uuid, input.is_active, initiator),
});

const remove = endpoints.remove({
  ...endpointOperation.remove,
  run: async (uuid, { initiator }, { store }: AdminContext) => await deleteEndpoint(store, uuid, initiator),
});

/** Endpoint operations of `api_gateway` projects. Saving a URL that the SSRF guard blocks gives a `warning`, not an error. */
export const endpointOperations = [create, list, get, update, setActive, remove] as const;

/** Stored in the normalised form of a URL parser. */
function upstreamUrlOf(address: { readonly url: string } | undefined) {
  return address === undefined ? {} : { upstream_url: address.url };
}

function withWarning(shown: Readonly<Record<string, unknown>>, warning: string | undefined) {
  return warning === undefined ? shown : { ...shown, warning };
}
