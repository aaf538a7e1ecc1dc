import { type AuditInitiator, initiatorMetadata, type ProjectReference } from "@gatehouse/audit";
import type { JsonObject } from "@gatehouse/json";
import type { AdminServiceDefinition } from "@gatehouse/proto/admin";
import { connectLocally, type RpcBinding } from "@gatehouse/rpc";
import { Ajv } from "ajv";
import { operationsOf } from "./bind-admin.ts";
import { type Operation, toPublished } from "./operation.ts";

/** The project that a call names, with its type where the operation depends on it. */
export interface TestProject extends ProjectReference {
  readonly projectType?: string;
}

/** An owner's operations, as the Control Plane calls them. */
export interface TestAdmin {
  /** The operation's result. `project` is the one that its arguments name; `key` is the call's, where it has one. */
  call<Result = Shown>(name: string, input: JsonObject, project?: TestProject | null, key?: Buffer): Promise<Result>;
  /** The tool as clients see it. */
  describe(name: string): Promise<{ readonly description: string; readonly inputSchema: JsonObject }>;
  /** The uuid of the project of the resource that the subject's value names. */
  findProject(name: string, subject: unknown): Promise<string>;
  deleteEndpoint(endpointUuid: string): Promise<void>;
  deleteProject(projectUuid: string): Promise<void>;
}

/** A result whose members a test names as it expects them. */
export type Shown = Readonly<Record<string, unknown>>;

const administrator: AuditInitiator = {
  actor: "admin_key:ops",
  ipAddress: "192.0.2.7",
  project: null,
  traceparent: "",
};

/** Calls an owner's operations in process. */
export function openTestAdmin(binding: RpcBinding<typeof AdminServiceDefinition>): TestAdmin {
  const client = connectLocally(binding);
  const checkResult = createResultCheck(operationsOf(binding));
  return {
    async call<Result>(name: string, input: JsonObject, project: TestProject | null = null, key?: Buffer) {
      const { projectType = "", ...reference } = project ?? {};
      const initiator = { ...administrator, project: project === null ? null : (reference as ProjectReference) };
      const request = { name, argumentsJson: JSON.stringify(input), projectType, ...(key && { callKey: key }) };
      const { resultJson } = await client.callOperation(request, { metadata: initiatorMetadata(initiator) });
      return checkResult(name, JSON.parse(resultJson)) as Result;
    },
    async describe(name) {
      const { operations } = await client.listOperations({});
      const found = operations.find((operation) => operation.name === name);
      if (found === undefined) throw new Error(`There is no operation ${name}.`);
      return { description: found.description, inputSchema: JSON.parse(found.inputSchemaJson) as JsonObject };
    },
    async findProject(name, subject) {
      return (await client.findProject({ name, subjectJson: JSON.stringify(subject) })).projectUuid;
    },
    deleteEndpoint: async (endpointUuid) => void (await client.deleteEndpoint({ endpointUuid })),
    deleteProject: async (projectUuid) => void (await client.deleteProject({ projectUuid })),
  };
}

/**
 * Holds results to their operations' schemas: answers with the result itself; those of other operations pass.
 * @returns a function that throws Error for a result that is not as its schema says
 */
export function createResultCheck(
  operations: readonly Pick<Operation, "name" | "output">[],
): (name: string, result: unknown) => unknown {
  const ajv = new Ajv({ strict: false, formats: { uri: true, "date-time": true, hostname: true, uuid: true } });
  const outputs = new Map(operations.map(({ name, output }) => [name, output]));
  return (name, result) => {
    const output = outputs.get(name);
    if (output === undefined || ajv.validate(toPublished(output), result)) return result;
    throw new Error(`The result of ${name} is not as its schema says: ${ajv.errorsText()}. ${JSON.stringify(result)}`);
  };
}

export { findDisagreement, type Judged } from "./find-disagreement.ts";
