import { type Access, callOnce, type Planned } from "@gatehouse/admin";
import type { ProjectReference } from "@gatehouse/audit";
import type { JsonObject } from "@gatehouse/json-rpc";
import type { AdminContext } from "../admin/admin-context.ts";
import type { OwnOperation } from "../admin/own-operation.ts";

/** The state that a planned call will find. */
export interface Prospect {
  /** Type of the call's project; empty without a project. */
  readonly projectType: string;
  /** Null where the call has no project, or names a resource whose project its owner knows. */
  readonly project: ProjectReference | null;
  readonly planned: Planned;
}

/** A tool of the Control Plane, run by any service. */
export interface Operation {
  readonly name: string;
  readonly description: string;
  readonly access: Access;
  readonly inputSchema: JsonObject;
  /** Whether the result is limited to what the caller may see, even if no project is named. */
  readonly keepsToCaller: boolean;
  /** Whether a call is refused while the database is silent. */
  readonly needsDatabase: boolean;
  /** Whether a call may have an idempotency key. */
  readonly takesIdempotencyKey: boolean;
  /** Arguments that name a resource of a project. */
  readonly subjects: readonly string[];
  /** Uuid of the project of the named resource. @throws GatewayError `not_found` */
  findProject(subject: string, value: unknown, context: AdminContext): Promise<string>;
  /**
   * Validates arguments for a project of a type, without running the call; errors that depend on stored state are not found.
   * @param projectType empty for a call without a project
   * @throws GatewayError `invalid_argument`
   */
  check(given: JsonObject, projectType: string, context: AdminContext): Promise<void>;
  /**
   * Checks a call by everything that can be known without writing.
   * @throws GatewayError that the call would be refused with, `unavailable` where the owner does not answer
   */
  judge(given: JsonObject, prospect: Prospect, context: AdminContext): Promise<void>;
  /**
   * Validates the arguments of a call about a missing or another's resource before that is reported, so that both get the same
   * answer.
   * @throws GatewayError `invalid_argument`
   */
  checkUnplaced(given: JsonObject, context: AdminContext): Promise<void>;
  /**
   * Validates the arguments, then runs the call. Returns a JSON object.
   * @param key from {@link readCallKey}; absent where the caller gave none
   */
  call(given: JsonObject, context: AdminContext, key?: Buffer): Promise<JsonObject>;
}

/** Wraps one of the Control Plane's own operations. */
export function fromOwn(own: OwnOperation): Operation {
  const { name, description, access, inputSchema, subject, takesIdempotencyKey } = own;
  return {
    name,
    description,
    access,
    inputSchema,
    keepsToCaller: own.keepsToCaller === true,
    needsDatabase: own.needsDatabase !== false,
    takesIdempotencyKey,
    subjects: subject === "" ? [] : [subject],
    findProject: async (_subject, value, context) => await own.findProject(value, context),
    check: async (given, projectType) => await Promise.resolve(own.check({ input: given, projectType })),
    checkUnplaced: async (given) => await Promise.resolve(own.check({ input: given, projectType: "" })),
    judge: async (given, { projectType, planned }, context) =>
      await own.judge({ ...toCall(given, context), projectType, planned }, context),
    call: async (given, context, key) =>
      await callOnce(own, toCall(given, context), context, { key, answerOnce: context.answerOnce }),
  };
}

function toCall(input: JsonObject, { caller }: AdminContext) {
  const initiator = caller.initiatorFor(null);
  const isForNamedProjects = caller.administrator.projects !== null;
  return { input, initiator, projectType: "", isForNamedProjects, signal: neverAborted };
}

/** A change continues when its caller leaves. */
const neverAborted = new AbortController().signal;
