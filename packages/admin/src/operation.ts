import type { AuditOrigin } from "@gatehouse/audit";
import type { Static, TObject } from "typebox";
import { createArgumentsCheck } from "./check-arguments.ts";
import { unknownMembersKey } from "./schemas.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

/** The right that an operation needs, and of what. */
export interface Access {
  readonly right: "read" | "write" | "administer";
  readonly scope: "project" | "gateway";
}

/** Who calls, and with what. */
export interface OperationCall<Input> {
  readonly input: Input;
  /** For the audit events of the change. `project` is the one that the arguments name, where they do. */
  readonly origin: AuditOrigin;
  /** Aborted when the caller no longer waits. */
  readonly signal: AbortSignal;
}

export interface OperationDefinition<Input extends TObject, Context> {
  /** With the prefix `svc_`. */
  readonly name: `svc_${string}`;
  readonly description: string;
  readonly access: Access;
  readonly input: Input;
  /** The project types that it is for, where several services own operations of one name. */
  readonly projectTypes?: readonly string[];
  /** How long a call may take, where that is longer than usual, milliseconds. */
  readonly timeoutMs?: number;
  /** The result is a JSON object. */
  readonly run: (call: OperationCall<Static<Input>>, context: Context) => Promise<JsonObject>;
}

/** One tool of the Control Plane, at its owner. */
export interface Operation<Context = never> {
  readonly name: string;
  readonly description: string;
  readonly access: Access;
  /** JSON Schema, as clients see it. */
  readonly inputSchema: JsonObject;
  readonly projectTypes: readonly string[];
  /** 0 where the caller's default will do. */
  readonly timeoutMs: number;
  /** Checks the arguments, then runs. @throws GatewayError `invalid_argument` and whatever the operation refuses with. */
  readonly call: (call: OperationCall<JsonObject>, context: Context) => Promise<JsonObject>;
}

export function defineOperation<Input extends TObject, Context>(
  definition: OperationDefinition<Input, Context>,
): Operation<Context> {
  const { name, description, access, input, projectTypes = [], timeoutMs = 0, run } = definition;
  const check = createArgumentsCheck(input);
  return {
    name,
    description,
    access,
    inputSchema: toPublished(input) as JsonObject,
    projectTypes,
    timeoutMs,
    call: async (call, context) => await run({ ...call, input: check(call.input) }, context),
  };
}

/** The schema as plain JSON, without what only this package understands. */
function toPublished(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema, (key, value: unknown) => (key === unknownMembersKey ? undefined : value)));
}
