import type { Access } from "@gatehouse/admin";
import { GatewayError } from "@gatehouse/errors";
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
import type { IssuerKeys } from "../clients/issuer-keys.ts";
import type { IssuerStore } from "../store/issuers.ts";
import type { AccessTokenStore } from "../store/access-tokens.ts";
import type { AdminKeyStore } from "../store/admin-key-store.ts";
import type { ConsoleSessionStore } from "../store/console-sessions.ts";
import type { ProjectStore } from "../store/projects.ts";
import type { Caller } from "./caller.ts";
import type { OperationRunner } from "./operation-runner.ts";

/** What all operations work with, whoever calls. */
export interface OperationResources {
  readonly projects: ProjectStore;
  readonly tokens: AccessTokenStore;
  readonly adminKeys: AdminKeyStore;
  readonly sessions: ConsoleSessionStore;
  readonly issuers: IssuerStore;
  readonly issuerKeys: Pick<IssuerKeys, "problem">;
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
  /** Whether the result holds nothing but what the caller may see, without a project being named. */
  readonly keepsToCaller: boolean;
  /** The arguments that name a resource of a project. */
  readonly subjects: readonly string[];
  /** The uuid of the project of the resource that the subject's value names. @throws GatewayError `not_found` */
  findProject(subject: string, value: unknown, context: OperationContext): Promise<string>;
  /** Checks the arguments, then runs. The result is a JSON object. */
  call(given: JsonObject, context: OperationContext): Promise<JsonObject>;
}

export interface OwnSubject {
  readonly argument: string;
  /** The uuid of the resource's project. @throws GatewayError `not_found` */
  readonly findProject: (value: unknown, context: OperationContext) => Promise<string>;
}

export interface OperationDefinition<Shape extends ArgumentShape> {
  /** With the prefix `svc_`. */
  readonly name: string;
  readonly description: string;
  readonly access: Access;
  readonly arguments: Shape;
  /** See {@link Operation.keepsToCaller}. */
  readonly keepsToCaller?: true;
  /** The resource that a call is about, where it is about one of a project that is not an argument. */
  readonly subject?: OwnSubject;
  /** Further arguments that `run` takes out of `given` itself, because which ones they are depends on the first. */
  readonly furtherArguments?: ArgumentShape;
  readonly run: (args: ArgumentsOf<Shape>, context: OperationContext, given: JsonObject) => Promise<JsonObject>;
}

export function defineOperation<Shape extends ArgumentShape>(definition: OperationDefinition<Shape>): Operation {
  const { name, description, access, arguments: shape, furtherArguments = {}, subject, run } = definition;
  const whole = { ...shape, ...furtherArguments };
  return {
    name,
    description,
    access,
    inputSchema: toObjectSchema(whole),
    keepsToCaller: definition.keepsToCaller === true,
    subjects: subject === undefined ? [] : [subject.argument],
    async findProject(_subject, value, context) {
      if (subject === undefined) throw new GatewayError("not_found", `${name} is about no resource.`);
      return await subject.findProject(value, context);
    },
    async call(given, context) {
      refuseUnknownArguments(whole, given);
      return await run(readArguments(shape, given), context, given);
    },
  };
}
