import { readInitiator } from "@gatehouse/audit";
import { invalidArgument } from "@gatehouse/errors";
import { isJsonObject, type JsonObject } from "@gatehouse/json";
import { AdminServiceDefinition, type Operation as OperationMessage } from "@gatehouse/proto/admin";
import { bindRpc, type RpcBinding } from "@gatehouse/rpc";
import { type AnswerOnce, callOnce } from "./call-once.ts";
import type { Operation } from "./operation.ts";

/** An owner's stores, clients and bounds, used by its operations. */
export type AdminContext = object;

/** A service's operations with their context, and its hooks for operations of others. */
export interface AdminOwner<Context extends AdminContext> {
  readonly operations: readonly Operation<Context>[];
  readonly context: Context;
  /** The store's function; needed where an operation takes an idempotency key. */
  readonly answerOnce?: AnswerOnce;
  /** Deletes all data that the service holds for another service's endpoint; repeatable. Absent where there is none. */
  readonly deleteEndpoint?: (endpointUuid: string) => Promise<void>;
  /** Deletes all data that the service holds for a project; repeatable. */
  readonly deleteProject: (projectUuid: string) => Promise<void>;
  /** A page of the secrets for a backup, sealed to a recipient. Absent where there are none. */
  readonly exportSecrets?: (recipient: string, cursor: string) => Promise<SealedPage>;
}

interface SealedPage {
  readonly sealed: string;
  readonly nextCursor: string;
}

/**
 * Serves an owner's operations to the Control Plane.
 * @throws Error where two operations share a name, and where one takes an idempotency key without `answerOnce`.
 */
export function bindAdmin<Context extends AdminContext>(
  owner: AdminOwner<Context>,
): RpcBinding<typeof AdminServiceDefinition> {
  const { operations, context, answerOnce, deleteEndpoint, deleteProject, exportSecrets } = owner;
  const byName = new Map(operations.map((operation) => [operation.name, operation]));
  if (byName.size < operations.length) throw new Error("Two operations of one service have the same name.");
  if (answerOnce === undefined && operations.some(({ takesIdempotencyKey }) => takesIdempotencyKey)) {
    throw new Error("An operation takes an idempotency key, and its service keeps none.");
  }
  const find = (name: string): Operation<Context> => {
    const operation = byName.get(name);
    if (operation === undefined) throw invalidArgument(`Unknown tool: ${name}`);
    return operation;
  };
  const listed = operations.map(toMessage);
  const binding = bindRpc(AdminServiceDefinition, {
    listOperations: async () => await Promise.resolve({ operations: listed }),
    async findProject({ name, subjectJson }) {
      return { projectUuid: await find(name).findProject(JSON.parse(subjectJson), context) };
    },
    async checkArguments({ name, argumentsJson, projectType, plan }, { metadata, signal }) {
      const call = { input: parseArguments(argumentsJson), projectType };
      if (plan === undefined) {
        find(name).check(call);
        return {};
      }
      const planned = { references: new Set(plan.references), siblings: plan.siblings };
      const initiator = readInitiator(metadata);
      await find(name).judge({ ...call, initiator, planned, isForNamedProjects: false, signal }, context);
      return {};
    },
    async callOperation({ name, argumentsJson, projectType, isForNamedProjects, callKey }, { metadata, signal }) {
      const initiator = readInitiator(metadata);
      const call = { input: parseArguments(argumentsJson), initiator, projectType, isForNamedProjects, signal };
      return { resultJson: JSON.stringify(await callOnce(find(name), call, context, { key: callKey, answerOnce })) };
    },
    exportSecrets: async ({ recipient, cursor }) =>
      (await exportSecrets?.(recipient, cursor)) ?? { sealed: "", nextCursor: "" },
    async deleteEndpoint({ endpointUuid }) {
      await deleteEndpoint?.(endpointUuid);
      return {};
    },
    async deleteProject({ projectUuid }) {
      await deleteProject(projectUuid);
      return {};
    },
  });
  return Object.assign(binding, { operations });
}

/** A binding with its operations, which a wrapper of its methods keeps. */
interface AdminBinding extends RpcBinding<typeof AdminServiceDefinition> {
  readonly operations?: readonly Operation[];
}

/** The operations of a binding. @throws Error for a binding that {@link bindAdmin} has not made. */
export function operationsOf({ operations }: AdminBinding): readonly Operation[] {
  if (operations === undefined) throw new Error("The binding is not one of bindAdmin.");
  return operations;
}

function toMessage(operation: Operation): OperationMessage {
  const { name, description, inputSchema, access, projectTypes, ...settings } = operation;
  const { timeoutMs, subject, subjectOperation, coversDeletedProjects, takesIdempotencyKey } = settings;
  return {
    name,
    description,
    inputSchemaJson: JSON.stringify(inputSchema),
    ...access,
    projectTypes: [...projectTypes],
    timeoutMs,
    subject,
    subjectOperation,
    coversDeletedProjects,
    takesIdempotencyKey,
  };
}

/** Parses arguments encoded by the Control Plane, which has already parsed its caller's body. */
function parseArguments(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  if (isJsonObject(value)) return value;
  throw invalidArgument("arguments must be object");
}
