import type { Access } from "@gatehouse/admin";
import type { JsonObject } from "@gatehouse/json-rpc";
import type { AdminContext } from "../admin/admin-context.ts";
import type { OwnOperation } from "../admin/own-operation.ts";

/** One tool of the Control Plane, whichever service runs it. */
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
  findProject(subject: string, value: unknown, context: AdminContext): Promise<string>;
  /**
   * Judges arguments as a call about a project of this type would, without running it: what only the state of things refuses is not found.
   * @param projectType empty for a call about no project
   * @throws GatewayError `invalid_argument`
   */
  check(given: JsonObject, projectType: string, context: AdminContext): Promise<void>;
  /** Checks the arguments, then runs. The result is a JSON object. */
  call(given: JsonObject, context: AdminContext): Promise<JsonObject>;
}

/** An operation of the Control Plane's own as one among all. */
export function fromOwn(own: OwnOperation): Operation {
  const { name, description, access, inputSchema, subject } = own;
  return {
    name,
    description,
    access,
    inputSchema,
    keepsToCaller: own.keepsToCaller === true,
    subjects: subject === "" ? [] : [subject],
    findProject: async (_subject, value, context) => await own.findProject(value, context),
    check: async (given, projectType) => await Promise.resolve(own.check({ input: given, projectType })),
    async call(given, context) {
      const { caller } = context;
      const call = {
        input: given,
        initiator: caller.initiatorFor(null),
        projectType: "",
        isForNamedProjects: caller.administrator.projects !== null,
        signal: neverAborted,
      };
      return await own.call(call, context);
    },
  };
}

/** A change goes on when its caller is gone. */
const neverAborted = new AbortController().signal;
