import { type AuditInitiator, initiatorMetadata, type ProjectReference } from "@gatehouse/audit";
import type { JsonObject } from "@gatehouse/json";
import type { AdminServiceDefinition } from "@gatehouse/proto/admin";
import { connectLocally, type RpcBinding } from "@gatehouse/rpc";
import { Ajv } from "ajv";
import { operationsOf } from "./bind-admin.ts";
import { type Operation, toPublished } from "./operation.ts";

/** Project of a call, with its type where the operation depends on it. */
export interface TestProject extends ProjectReference {
  readonly projectType?: string;
}

/** An owner's operations, called as by the Control Plane. */
export interface TestAdmin {
  /** Returns the operation's result. `project` is the one named by the arguments; `key` is the idempotency key. */
  call<Result = Shown>(name: string, input: JsonObject, project?: TestProject | null, key?: Buffer): Promise<Result>;
  describe(name: string): Promise<{ readonly description: string; readonly inputSchema: JsonObject }>;
  /** UUID of the project of the resource named by the subject's value. */
  findProject(name: string, subject: unknown): Promise<string>;
  deleteEndpoint(endpointUuid: string): Promise<void>;
  deleteProject(projectUuid: string): Promise<void>;
}

/** A result with any members, for assertions. */
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
 * Checks results against their operations' schemas and returns them; results of other operations pass.
 * @returns a function that throws Error for a result that violates its schema
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
