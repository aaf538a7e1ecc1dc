import { takesNoKey } from "@gatehouse/admin";
import { isJsonObject, type JsonObject } from "@gatehouse/json-rpc";
import { unknownTool } from "@gatehouse/mcp";
import type { AdminContext, AdminResources } from "../admin/admin-context.ts";
import { authorize, requireRight } from "./authorize.ts";
import type { Caller } from "./caller.ts";
import type { OperationCatalogue } from "./operation-catalogue.ts";
import type { Operation, Prospect } from "./operation.ts";
import { argumentNames } from "./owned-operation.ts";

/** Runs operations by name, for one caller. */
export interface OperationRunner {
  /**
   * @param key idempotency key: a repetition gets the first answer
   * @throws `Unknown tool: <name>`, `Not allowed: <name> needs …`, and the operation's errors
   */
  run(name: string, given: JsonObject, key?: Buffer): Promise<JsonObject>;
  /** Authorises a call by its operation alone. @throws `Unknown tool: <name>`, `Not allowed: <name> needs …` */
  permit(name: string): Promise<void>;
  /** Validates a call's arguments alone. @throws the operation's errors about them */
  check(name: string, given: JsonObject, projectType: string): Promise<void>;
  /** Checks a call as far as possible without writing. @throws the operation's errors */
  judge(name: string, given: JsonObject, prospect: Prospect): Promise<void>;
  /** Runs a list operation over all its pages. `key` is the list's name in the reply. */
  listAll(name: string, given: JsonObject, key: string): Promise<JsonObject[]>;
  /** Names of the operation's arguments; empty where no owner has the operation. */
  argumentNames(name: string): Promise<readonly string[]>;
  /** The first argument that the operation does not have. */
  findUnknownArgument(name: string, given: JsonObject): Promise<string | undefined>;
  /** The first argument that is null although the operation takes no null for it. */
  findNullArgument(name: string, given: JsonObject): Promise<string | undefined>;
  /** Required arguments that are missing. */
  findMissingArguments(name: string, given: JsonObject): Promise<readonly string[]>;
}

const pageSize = 200;

/** Creates a runner that finds operations, authorises, checks the arguments, and calls the owner. */
export function createOperationRunner(
  catalogue: OperationCatalogue,
  resources: AdminResources,
  caller: Caller,
): OperationRunner {
  const find = async (name: string): Promise<Operation> => {
    const operation = await catalogue.find(name);
    if (operation === undefined) throw unknownTool(name);
    return operation;
  };
  const run = async (name: string, given: JsonObject, key?: Buffer): Promise<JsonObject> => {
    const operation = await find(name);
    const perform = async () => {
      const admitted = await authorize(operation, given, context);
      if (key !== undefined && !operation.takesIdempotencyKey) throw takesNoKey(name);
      return await operation.call(admitted, context, key);
    };
    return operation.needsDatabase ? await resources.unlessSilent(perform) : await perform();
  };
  const runner: OperationRunner = {
    run,
    permit: async (name) => requireRight(await find(name), caller.administrator),
    check: async (name, given, projectType) => await (await find(name)).check(given, projectType, context),
    judge: async (name, given, prospect) => await (await find(name)).judge(given, prospect, context),
    async listAll(name, given, key) {
      const items: JsonObject[] = [];
      let cursor: unknown = null;
      do {
        const page: JsonObject = await run(name, { ...given, limit: pageSize, ...(cursor === null ? {} : { cursor }) });
        items.push(...membersOf(page[key]));
        cursor = page["next_cursor"] ?? null;
      } while (cursor !== null);
      return items;
    },
    async argumentNames(name) {
      const operation = await catalogue.find(name);
      return operation === undefined ? [] : argumentNames(operation);
    },
    async findUnknownArgument(name, given) {
      const known = argumentNames(await find(name));
      return Object.keys(given).find((argument) => !known.includes(argument));
    },
    async findNullArgument(name, given) {
      const { inputSchema } = await find(name);
      return Object.keys(given).find((argument) => given[argument] === null && !takesNull(inputSchema, argument));
    },
    async findMissingArguments(name, given) {
      const { required } = (await find(name)).inputSchema;
      const names: readonly unknown[] = Array.isArray(required) ? required : [];
      return names.map(String).filter((argument) => (given[argument] ?? null) === null);
    },
  };
  const context: AdminContext = { ...resources, caller, operations: runner };
  return runner;
}

function takesNull({ properties }: JsonObject, argument: string): boolean {
  const described = isJsonObject(properties) ? properties[argument] : undefined;
  const type = isJsonObject(described) ? described["type"] : undefined;
  return type === undefined || (Array.isArray(type) && type.includes("null"));
}

function membersOf(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}
