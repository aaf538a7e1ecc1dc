import type { Access } from "@gatehouse/admin";
import type { JsonObject } from "@gatehouse/json-rpc";
import type { Federation } from "../clients/federation.ts";
import {
  type ArgumentShape,
  type ArgumentsOf,
  readArguments,
  refuseUnknownArguments,
  toObjectSchema,
} from "../domain/arguments.ts";
import type { AuditTrail } from "../store/audit-trail.ts";
import type { AccessTokenStore } from "../store/access-tokens.ts";
import type { ProjectStore } from "../store/projects.ts";
import type { Caller } from "./caller.ts";
import type { OperationRunner } from "./operation-runner.ts";

/** What all operations work with, whoever calls. */
export interface OperationResources {
  readonly projects: ProjectStore;
  readonly tokens: AccessTokenStore;
  /** For what changes nothing and is recorded all the same. */
  readonly audit: AuditTrail;
  readonly federation: Pick<Federation, "deleteEndpoint" | "deleteProject" | "find">;
  readonly now: () => Date;
}

/** What one call of an operation works with. */
export interface OperationContext extends OperationResources {
  readonly caller: Caller;
  /** The other operations, for one that is made of them. */
  readonly operations: OperationRunner;
}

/** One tool of the Control Plane. */
export interface Operation {
  readonly name: string;
  readonly description: string;
  /** The right that a caller needs. */
  readonly access: Access;
  readonly inputSchema: JsonObject;
  /** Checks the arguments, then runs. The result is a JSON object. */
  call(given: JsonObject, context: OperationContext): Promise<JsonObject>;
}

export interface OperationDefinition<Shape extends ArgumentShape> {
  /** With the prefix `svc_`. */
  readonly name: string;
  readonly description: string;
  readonly access: Access;
  readonly arguments: Shape;
  /** Further arguments that `run` takes out of `given` itself, because which ones they are depends on the first. */
  readonly furtherArguments?: ArgumentShape;
  readonly run: (args: ArgumentsOf<Shape>, context: OperationContext, given: JsonObject) => Promise<JsonObject>;
}

export function defineOperation<Shape extends ArgumentShape>(definition: OperationDefinition<Shape>): Operation {
  const { name, description, access, arguments: shape, furtherArguments = {}, run } = definition;
  const whole = { ...shape, ...furtherArguments };
  return {
    name,
    description,
    access,
    inputSchema: toObjectSchema(whole),
    async call(given, context) {
      refuseUnknownArguments(whole, given);
      return await run(readArguments(shape, given), context, given);
    },
  };
}
