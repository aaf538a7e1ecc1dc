import { type Access, callOnce, type Planned } from "@gatehouse/admin";
import type { ProjectReference } from "@gatehouse/audit";
import type { JsonObject } from "@gatehouse/json-rpc";
import type { AdminContext } from "../admin/admin-context.ts";
import type { OwnOperation } from "../admin/own-operation.ts";

/** The state of things that a call of a plan will find. */
export interface Prospect {
  /** The type of the project that the call is about; empty where it is about none. */
  readonly projectType: string;
  /** Null where the call is about no project, or names a resource whose project its owner knows. */
  readonly project: ProjectReference | null;
  readonly planned: Planned;
}

/** One tool of the Control Plane, whichever service runs it. */
export interface Operation {
  readonly name: string;
  readonly description: string;
  /** The right that a caller needs. */
  readonly access: Access;
  readonly inputSchema: JsonObject;
  /** Whether the result holds nothing but what the caller may see, without a project being named. */
  readonly keepsToCaller: boolean;
  /** Whether a call may have a key, under which repetitions get the first answer. */
  readonly takesIdempotencyKey: boolean;
  /** The arguments that name a resource of a project. */
  readonly subjects: readonly string[];
  /** The uuid of the project of the resource that the subject's value names. @throws GatewayError `not_found` */
  findProject(subject: string, value: unknown, context: AdminContext): Promise<string>;
  /**
   * Judges arguments as a call about a project of this type would, without running it: what only the state of things refuses is not found.
   * @param projectType empty for a call about no project
   * @throws GatewayError `invalid_argument`
   */
  check(given: JsonObject, projectType: string, context: AdminContext): Promise<void>;
  /**
   * Judges a call by everything that can be judged before it is made, without writing.
   * @throws GatewayError whatever the call would be refused with, `unavailable` where the owner does not answer
   */
  judge(given: JsonObject, prospect: Prospect, context: AdminContext): Promise<void>;
  /**
   * Judges the arguments of a call about something that is not there, or not the caller's, before that is said: both answer alike.
   * @throws GatewayError `invalid_argument`
   */
  checkUnplaced(given: JsonObject, context: AdminContext): Promise<void>;
  /**
   * Checks the arguments, then runs. The result is a JSON object.
   * @param key as {@link readCallKey} makes it; absent where the caller gave none
   */
  call(given: JsonObject, context: AdminContext, key?: Buffer): Promise<JsonObject>;
}

/** An operation of the Control Plane's own as one among all. */
export function fromOwn(own: OwnOperation): Operation {
  const { name, description, access, inputSchema, subject, takesIdempotencyKey } = own;
  return {
    name,
    description,
    access,
    inputSchema,
    keepsToCaller: own.keepsToCaller === true,
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

/** A change goes on when its caller is gone. */
const neverAborted = new AbortController().signal;
