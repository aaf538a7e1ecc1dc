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
import type { EndpointDefinition } from "../domain/endpoint.ts";
import { checkEndpointDefinition } from "../domain/endpoint-rules.ts";
import { proveSchemas } from "../domain/schema/check-value.ts";
import {
  createEndpoint,
  deleteEndpoint,
  getEndpoint,
  listEndpoints,
  setEndpointActive,
  updateEndpoint,
} from "../store/endpoints.ts";
import { type AdminContext, readProject, writeProject, writing } from "./admin-context.ts";
import { endpoint } from "./endpoint.ts";

export const endpointUuid = reference("The endpoint's uuid.");

/** @throws GatewayError `not_found` for a text that is no uuid. */
export function requireEndpointUuid(given: string): string {
  if (isUuid(given)) return given.toLowerCase();
  throw resourceNotFound("Endpoint", given);
}

/** The api-proxy owns operations of the same names for api_gateway projects; shared descriptions are the same there. */
const forProjects = {
  projectTypes: ["ai_gateway", "ai_wrapper"],
  refuseProjectType: (type: string) => `Projects of type ${type} cannot have endpoints in this version.`,
} as const;

/** An endpoint by its uuid lies in its project. */
export const ofEndpoint = {
  subject: {
    argument: "endpoint",
    findProject: async (given: string, { store }: AdminContext) =>
      (await getEndpoint(store, requireEndpointUuid(given))).projectUuid,
  },
} as const;

const forEndpoints = { ...forProjects, ...ofEndpoint } as const;

const create = defineOperation({
  ...forProjects,
  name: "svc_create_endpoint",
  description: "Creates an endpoint, active at once. In an ai_gateway or ai_wrapper project it calls models.",
  access: writeProject,
  input: record({ project, ...endpoint.createInput }),
  async run({ input, origin, projectType }, context: AdminContext) {
    const given = { streaming_enabled: projectType === "ai_wrapper", ...input };
    // The table's columns are the definition's fields.
    const definition = endpoint.toNewColumns(given) as unknown as EndpointDefinition;
    checkEndpointDefinition(definition);
    await proveSchemas(definition, context.checkText, { tenant: input.project });
    return endpoint.encode(await createEndpoint(writing(context, origin), input.project, definition));
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
    endpoint.encode(await getEndpoint(store, requireEndpointUuid(input.endpoint))),
});

const update = defineOperation({
  ...forEndpoints,
  name: "svc_update_endpoint",
  description: "Changes an endpoint; what is not named stays, null takes an optional setting away.",
  access: writeProject,
  input: record({ endpoint: endpointUuid, ...endpoint.updateInput }),
  async run({ input, origin }, context: AdminContext) {
    const { endpoint: given, ...changes } = input;
    const uuid = requireEndpointUuid(given);
    const { input_schema: inputSchema = null, output_schema: outputSchema = null } = changes;
    await proveSchemas({ inputSchema, outputSchema }, context.checkText, { tenant: uuid });
    const changed = await updateEndpoint(writing(context, origin), uuid, (present) => {
      const definition: EndpointDefinition = { ...present, ...endpoint.toColumns(changes) };
      checkEndpointDefinition(definition);
      return { definition, changed: endpoint.changedFields(present, changes) };
    });
    return endpoint.encode(changed);
  },
});

const setActive = defineOperation({
  ...forEndpoints,
  name: "svc_set_endpoint_active",
  description:
    "Switches an endpoint on or off; an inactive one answers as if it did not exist. Repeating it is harmless.",
  access: writeProject,
  input: record({ endpoint: endpointUuid, is_active: flag("Whether it answers.") }),
  async run({ input, origin }, context: AdminContext) {
    const uuid = requireEndpointUuid(input.endpoint);
    return endpoint.encode(await setEndpointActive(writing(context, origin), uuid, input.is_active));
  },
});

const remove = defineOperation({
  ...forEndpoints,
  name: "svc_delete_endpoint",
  description: "Deletes an endpoint.",
  access: writeProject,
  input: record({ endpoint: endpointUuid }),
  async run({ input, origin }, context: AdminContext) {
    const deleted = await deleteEndpoint(writing(context, origin), requireEndpointUuid(input.endpoint));
    return { ...endpoint.encode(deleted), deleted: true };
  },
});

export const endpointOperations = [create, list, get, update, setActive, remove] as const;
