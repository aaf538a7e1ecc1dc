import { readOrigin } from "@gatehouse/audit";
import { GatewayError } from "@gatehouse/errors";
import { AdminServiceDefinition, type Operation as OperationMessage } from "@gatehouse/proto/admin";
import { bindRpc, type RpcBinding } from "@gatehouse/rpc";
import type { JsonObject, Operation } from "./operation.ts";

/** What an owner brings to its operations: stores, clients, bounds. */
export type AdminContext = object;

export interface AdminOwner<Context extends AdminContext> {
  readonly operations: readonly Operation<Context>[];
  readonly context: Context;
  /** Removes everything that the service holds for a project; repeatable. */
  readonly deleteProject: (projectUuid: string) => Promise<void>;
}

/**
 * Serves an owner's operations to the Control Plane.
 * @throws Error where two operations have one name.
 */
export function bindAdmin<Context extends AdminContext>(
  owner: AdminOwner<Context>,
): RpcBinding<typeof AdminServiceDefinition> {
  const { operations, context, deleteProject } = owner;
  const byName = new Map(operations.map((operation) => [operation.name, operation]));
  if (byName.size < operations.length) throw new Error("Two operations of one service have the same name.");
  const listed = operations.map(toMessage);
  return bindRpc(AdminServiceDefinition, {
    listOperations: async () => await Promise.resolve({ operations: listed }),
    async callOperation({ name, argumentsJson }, { metadata, signal }) {
      const operation = byName.get(name);
      if (operation === undefined) throw new GatewayError("invalid_argument", `Unknown tool: ${name}`);
      const call = { input: parseArguments(argumentsJson), origin: readOrigin(metadata), signal };
      return { resultJson: JSON.stringify(await operation.call(call, context)) };
    },
    async deleteProject({ projectUuid }) {
      await deleteProject(projectUuid);
      return {};
    },
  });
}

function toMessage(operation: Operation): OperationMessage {
  const { name, description, inputSchema, access, projectTypes, timeoutMs } = operation;
  const inputSchemaJson = JSON.stringify(inputSchema);
  return { name, description, inputSchemaJson, ...access, projectTypes: [...projectTypes], timeoutMs };
}

/** Written by the Control Plane, which has parsed them from its caller's body. */
function parseArguments(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw new GatewayError("invalid_argument", "arguments must be object");
}
