import {
  defineCollection,
  defineOperation,
  endpointOperation,
  object,
  project,
  uuidKey,
  writeProject,
} from "@gatehouse/admin";
import { proveSchema } from "@gatehouse/json-schema";
import { checkEndpointDefinition } from "../domain/compile-endpoint.ts";
import type { EndpointDefinition } from "../domain/endpoint-fields.ts";
import { endpoint } from "../domain/endpoint-fields.ts";
import type { ChatStore } from "../store/chat-store.ts";
import {
  createEndpoint,
  deleteEndpoint,
  getEndpoint,
  listEndpoints,
  requireFreeSlug,
  requireProviders,
  setEndpointActive,
  updateEndpoint,
} from "../store/endpoints.ts";
import { type AdminContext, writing } from "./admin-context.ts";

/** The api-proxy has operations of the same names for api_gateway projects, with the same descriptions. */
const forProjects = {
  projectTypes: ["ai_gateway", "ai_wrapper"],
  refuseProjectType: endpointOperation.refuseProjectType,
} as const;

/** Argument `endpoint`, a uuid, of operations on one endpoint; sessions and usage take it as a filter. */
export const endpointKey = uuidKey("Endpoint", "endpoint");

const findProject = async (uuid: string, { store }: AdminContext) => (await getEndpoint(store, uuid)).projectUuid;

const endpoints = defineCollection({
  ...forProjects,
  list: "endpoints",
  key: endpointKey,
  findProject,
  shape: endpoint.shape,
  show: (row: object) => endpoint.encode(row),
});

/** The uuid of the endpoint that arguments name, if any. @throws GatewayError `not_found` for an unknown endpoint */
export async function findNamedEndpoint(
  store: ChatStore,
  { endpoint: named }: { readonly endpoint?: unknown },
): Promise<string | undefined> {
  if (named === undefined) return undefined;
  return (await getEndpoint(store, endpointKey.read(named as never))).uuid;
}

/** For operations that may name an endpoint, which then decides the project of the call. */
export const ofEndpoint = {
  subject: {
    argument: endpointKey.argument,
    findProject: async (given: never, context: AdminContext) => await findProject(endpointKey.read(given), context),
  },
} as const;

const create = defineOperation({
  ...forProjects,
  name: "svc_create_endpoint",
  description: "Creates an endpoint, active at once. In an ai_gateway or ai_wrapper project it calls models.",
  access: writeProject,
  takesIdempotencyKey: true,
  input: object({ project, ...endpoint.createInput }),
  output: endpoint.shape,
  async prepare({ input, projectType, planned }, context: AdminContext) {
    const given = { streaming_enabled: projectType === "ai_wrapper", ...input };
    // The table's columns are the definition's fields.
    const definition = endpoint.toNewColumns(given) as unknown as EndpointDefinition;
    checkEndpointDefinition(definition);
    await proveSchemas(definition, context, input.project);
    await requireFreeSlug(context.store, input.project, definition.slug);
    await requireProviders(context.store, definition.targets, planned);
    return definition;
  },
  run: async ({ input, initiator, prepared: definition }, context) =>
    endpoint.encode(await createEndpoint(writing(context, initiator), input.project, definition)),
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

const update = endpoints.one({
  ...endpointOperation.update,
  input: endpoint.updateInput,
  async prepare(uuid, { input: changes, planned }, context: AdminContext) {
    const { input_schema: inputSchema = null, output_schema: outputSchema = null } = changes;
    await proveSchemas({ inputSchema, outputSchema }, context, uuid);
    const present = await getEndpoint(context.store, uuid);
    const { definition, changed } = change(present, changes);
    if (changed.includes("slug")) await requireFreeSlug(context.store, present.projectUuid, definition.slug);
    if (changed.length > 0) await requireProviders(context.store, definition.targets, planned);
  },
  run: async (uuid, { input: changes, initiator }, context) =>
    await updateEndpoint(writing(context, initiator), uuid, (present) => change(present, changes)),
});

/** @throws GatewayError `invalid_argument` */
function change(present: EndpointDefinition, changes: object) {
  const definition: EndpointDefinition = { ...present, ...endpoint.toColumns(changes) };
  checkEndpointDefinition(definition);
  return { definition, changed: endpoint.changedFields(present, changes) };
}

const setActive = endpoints.one({
  ...endpointOperation.setActive,
  run: async (uuid, { input, initiator }, context: AdminContext) =>
    await setEndpointActive(writing(context, initiator), uuid, input.is_active),
});

const remove = endpoints.remove({
  ...endpointOperation.remove,
  run: async (uuid, { initiator }, context: AdminContext) => await deleteEndpoint(writing(context, initiator), uuid),
});

/** Operations on endpoints of AI projects; the api-proxy has operations of these names for its projects. */
export const endpointOperations = [create, list, get, update, setActive, remove] as const;

/** Compiles the schemas to save, as calls will. @throws GatewayError `invalid_argument` naming the field */
async function proveSchemas(
  { inputSchema, outputSchema }: Pick<EndpointDefinition, "inputSchema" | "outputSchema">,
  { checkText }: AdminContext,
  tenant: string,
): Promise<void> {
  if (inputSchema !== null) await proveSchema({ source: inputSchema, field: "input_schema" }, checkText, { tenant });
  if (outputSchema !== null) await proveSchema({ source: outputSchema, field: "output_schema" }, checkText, { tenant });
}
