import { randomUUID } from "node:crypto";
import { bindAdmin, defineOperation, looseObject, object, page, project, reference, slug } from "@gatehouse/admin";
import { GatewayError } from "@gatehouse/errors";
import type { AdminServiceDefinition } from "@gatehouse/proto/admin";
import { connectLocally, type RpcBinding } from "@gatehouse/rpc";
import type { Owner } from "../src/clients/federation.ts";

interface ToyEndpoint {
  readonly uuid: string;
  readonly slug: string;
  readonly project: string;
}

/** An in-memory owner of endpoints that have only a slug. */
export interface ToyEndpoints {
  readonly owner: Owner;
  readonly binding: RpcBinding<typeof AdminServiceDefinition>;
  readonly operationNames: readonly string[];
  readonly deletedEndpoints: string[];
  readonly deletedProjects: string[];
  /** While set, the error of every deletion of an endpoint's data. */
  failure: GatewayError | undefined;
}

const access = { right: "write", scope: "project" } as const;
const subject = {
  argument: "endpoint",
  findProject: async (uuid: string, { endpoints }: Context) => await Promise.resolve(find(endpoints, uuid).project),
};

interface Context {
  readonly endpoints: Map<string, ToyEndpoint>;
}

const operations = [
  defineOperation({
    name: "svc_create_endpoint",
    description: "Creates an endpoint.",
    output: looseObject(),
    access,
    input: object({ project, slug }),
    async run({ input }, { endpoints }: Context) {
      const endpoint = { uuid: randomUUID(), ...input };
      endpoints.set(endpoint.uuid, endpoint);
      return await Promise.resolve({ ...endpoint });
    },
  }),
  defineOperation({
    name: "svc_list_endpoints",
    description: "Lists a project's endpoints.",
    output: looseObject(),
    access,
    input: object({ project, ...page }),
    async run({ input }, { endpoints }: Context) {
      const owned = [...endpoints.values()].filter((endpoint) => endpoint.project === input.project);
      return await Promise.resolve({ endpoints: owned, next_cursor: null });
    },
  }),
  defineOperation({
    name: "svc_get_endpoint",
    description: "Shows an endpoint.",
    output: looseObject(),
    access,
    subject,
    input: object({ endpoint: reference("Its uuid.") }),
    run: async ({ input }, { endpoints }: Context) => await Promise.resolve({ ...find(endpoints, input.endpoint) }),
  }),
  defineOperation({
    name: "svc_delete_endpoint",
    description: "Deletes an endpoint.",
    output: looseObject(),
    access,
    subject,
    input: object({ endpoint: reference("Its uuid.") }),
    async run({ input }, { endpoints }: Context) {
      const endpoint = find(endpoints, input.endpoint);
      endpoints.delete(endpoint.uuid);
      return await Promise.resolve({ ...endpoint, deleted: true });
    },
  }),
  ...["providers", "credentials", "webhooks", "oauth_connections"].map((list) =>
    defineOperation({
      name: `svc_list_${list}`,
      description: "Lists nothing.",
      output: looseObject(),
      access,
      input: object({ ...page }),
      run: async () => await Promise.resolve({ [list]: [], next_cursor: null }),
    }),
  ),
];

export function createToyEndpoints(): ToyEndpoints {
  const endpoints = new Map<string, ToyEndpoint>();
  const toy = {
    deletedEndpoints: new Array<string>(),
    deletedProjects: new Array<string>(),
    failure: undefined as GatewayError | undefined,
  };
  const binding = bindAdmin({
    operations,
    context: { endpoints },
    async deleteEndpoint(uuid) {
      if (toy.failure !== undefined) throw toy.failure;
      toy.deletedEndpoints.push(uuid);
      return await Promise.resolve();
    },
    async deleteProject(uuid) {
      if (toy.failure !== undefined) throw toy.failure;
      toy.deletedProjects.push(uuid);
      return await Promise.resolve();
    },
  });
  const operationNames = operations.map(({ name }) => name);
  return Object.assign(toy, { binding, operationNames, owner: { name: "toy", client: connectLocally(binding) } });
}

function find(endpoints: ReadonlyMap<string, ToyEndpoint>, uuid: string): ToyEndpoint {
  const endpoint = endpoints.get(uuid);
  if (endpoint === undefined) throw new GatewayError("not_found", `Endpoint not found: ${uuid}`);
  return endpoint;
}
