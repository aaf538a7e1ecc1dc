import type { AuditInitiator } from "@gatehouse/audit";
import { invalidArgument } from "@gatehouse/errors";
import type { JsonObject } from "@gatehouse/json";
import type { Static, TObject, TSchema } from "typebox";
import type { Access } from "./access.ts";
import { createArgumentsCheck } from "./check-arguments.ts";
import { object, privateKeywords } from "./schemas.ts";

/** Input and caller of one call of an operation. */
export interface OperationCall<Input> {
  readonly input: Input;
  /** Initiator for the audit events of the change; its `project` is the one named by the arguments, if any. */
  readonly initiator: AuditInitiator;
  /** Type of the initiator's project; empty for calls without a project. */
  readonly projectType: string;
  /** Whether the caller's role is for named projects, including the call's, rather than for the whole gateway. */
  readonly isForNamedProjects: boolean;
  /** Aborted when the caller no longer waits. */
  readonly signal: AbortSignal;
}

/** Resources that earlier changes of a plan will have created, for a call that is judged before they exist. */
export interface Planned {
  /** Resources that the arguments may name, by kind and argument: `provider/openai`. */
  readonly references: ReadonlySet<string>;
  /** Resources of the operation's kind that the plan adds to those of its project. */
  readonly siblings: number;
}

/** For a call outside of a plan. */
const nothingPlanned: Planned = { references: new Set(), siblings: 0 };

/** A call that is judged now and made after the planned changes. */
export interface JudgedCall<Input> extends OperationCall<Input> {
  readonly planned: Planned;
}

/** A judged call, with the result of its preparation. */
export interface PreparedCall<Input, Prepared> extends OperationCall<Input> {
  readonly prepared: Prepared;
}

/** Resource of an operation that does not take its project as an argument. */
export type Subject<Context> = OwnSubject<Context> | ForeignSubject;

interface OwnSubject<Context> {
  readonly argument: string;
  /** UUID of the resource's project. @throws GatewayError `not_found` for a resource that this owner does not have. */
  findProject(value: never, context: Context): Promise<string>;
}

interface ForeignSubject {
  readonly argument: string;
  /** Operation whose owners know the resource's project. */
  readonly operation: `svc_${string}`;
}

/** Source of an operation; its tool, schema, checks and command line are derived from it. */
export interface OperationDefinition<Input extends TObject, Context, Prepared = undefined> {
  /** With the prefix `svc_`. */
  readonly name: `svc_${string}`;
  readonly description: string;
  readonly access: Access;
  readonly input: Input;
  /** Project types that it serves, where several services own operations of one name. */
  readonly projectTypes?: readonly string[];
  readonly refuseProjectType?: (projectType: string) => string;
  /** Whether it also answers for projects of other types, which have none of its resources: a list is empty there. */
  readonly answersOtherTypes?: boolean;
  readonly subject?: Subject<Context>;
  /** Whether it also serves deleted projects; the call's initiator then has no project. */
  readonly coversDeletedProjects?: boolean;
  /** Longest time of a call, where longer than the default, milliseconds. */
  readonly timeoutMs?: number;
  /**
   * Whether a caller may give an idempotency key, so that repeated calls get the first answer: for operations that create
   * something. From the first write on, `run` then works in one transaction of the owner's store, and calls no other service.
   */
  readonly takesIdempotencyKey?: boolean;
  /** Schema of the result, for clients' types; tests check results against it. */
  readonly output: TObject;
  /**
   * Makes all checks that need no writing, without side effects on others: rules across fields, references, limits, names in use.
   * Judges a whole configuration document before anything is written.
   * @returns input for `run`
   * @throws GatewayError as `run`
   */
  readonly prepare?: (call: JudgedCall<Static<Input>>, context: Context) => Promise<Prepared>;
  /** Returns a JSON object. State that `prepare` has checked may have changed since. */
  readonly run: (call: PreparedCall<Static<Input>, Prepared>, context: Context) => Promise<JsonObject>;
}

/** One tool of the Control Plane as its owner serves it, with both schemas, the access rule and the handlers of a call. */
export interface Operation<Context = never> {
  readonly name: string;
  readonly description: string;
  readonly access: Access;
  /** Enforced schema. */
  readonly input: TObject;
  /** Published schema, for clients: plain JSON Schema. */
  readonly inputSchema: JsonObject;
  readonly output: TObject;
  readonly projectTypes: readonly string[];
  /** 0 for the caller's default. */
  readonly timeoutMs: number;
  /** Argument that names the resource; empty where there is none. */
  readonly subject: string;
  /** Operation whose owners know the subject's project; empty where this one's owner does. */
  readonly subjectOperation: string;
  readonly coversDeletedProjects: boolean;
  readonly takesIdempotencyKey: boolean;
  /** UUID of the project of the resource named by the subject's value. @throws GatewayError `not_found` */
  readonly findProject: (value: unknown, context: Context) => Promise<string>;
  /** Checks a call's arguments and project type. @throws GatewayError `invalid_argument` */
  readonly check: (call: Pick<OperationCall<JsonObject>, "input" | "projectType">) => void;
  /** Makes all checks of a call that need no writing. @throws GatewayError as the call itself would */
  readonly judge: (call: JudgedCall<JsonObject>, context: Context) => Promise<void>;
  /**
   * Checks the arguments, then runs.
   * @param around wraps the run of the judged call
   * @throws GatewayError `invalid_argument`, and the operation's own.
   */
  readonly call: (call: OperationCall<JsonObject>, context: Context, around?: Around) => Promise<JsonObject>;
}

/** Wrapper of a call's run, called after all checks; `callOnce` uses it to store the result in the transaction of the change. */
export type Around = (run: () => Promise<JsonObject>) => Promise<JsonObject>;

const nothingAround: Around = async (run) => await run();

/**
 * Creates an operation: the tool for clients, the check of arguments by the same schema, and the call.
 * @throws Error where the schema is faulty: at once for a large one, else at the first call.
 */
export function defineOperation<Input extends TObject, Context, Prepared = undefined>(
  definition: OperationDefinition<Input, Context, Prepared>,
): Operation<Context> {
  const { name, description, access, input, projectTypes = [], output, timeoutMs = 0, subject, run } = definition;
  const { coversDeletedProjects = false, takesIdempotencyKey = false, answersOtherTypes = false } = definition;
  const { refuseProjectType = (type: string) => `${name} is not for projects of type ${type}.` } = definition;
  const checkArguments = createArgumentsCheck(input);
  const check = (call: Pick<OperationCall<JsonObject>, "input" | "projectType">): Static<Input> => {
    const { projectType } = call;
    const isServed = projectTypes.length === 0 || projectTypes.includes(projectType) || answersOtherTypes;
    if (projectType !== "" && !isServed) {
      throw invalidArgument(refuseProjectType(projectType));
    }
    return checkArguments(call.input);
  };
  // By its type, an operation without `prepare` ignores the prepared value.
  const { prepare = async () => await Promise.resolve(undefined as Prepared) } = definition;
  return {
    name,
    description,
    access,
    input,
    inputSchema: toPublished(input),
    output,
    projectTypes,
    timeoutMs,
    subject: subject?.argument ?? "",
    subjectOperation: subject !== undefined && "operation" in subject ? subject.operation : "",
    coversDeletedProjects,
    takesIdempotencyKey,
    findProject: createFindProject(name, input, subject),
    check: (call) => void check(call),
    judge: async (call, context) => void (await prepare({ ...call, input: check(call) }, context)),
    async call(call, context, around = nothingAround) {
      const checked = { ...call, input: check(call) };
      const prepared = await prepare({ ...checked, planned: nothingPlanned }, context);
      return await around(async () => await run({ ...checked, prepared }, context));
    },
  };
}

function createFindProject<Context>(
  name: string,
  { properties }: TObject,
  subject: Subject<Context> | undefined,
): (value: unknown, context: Context) => Promise<string> {
  if (subject === undefined || "operation" in subject) {
    return async () => await Promise.reject(invalidArgument(`${name} has no subject of this service.`));
  }
  const { argument } = subject;
  const schema = properties[argument];
  if (schema === undefined) throw new Error(`${name} has no argument named ${argument}.`);
  const check = createArgumentsCheck(object({ [argument]: schema }));
  return async (value, context) => {
    const checked: Readonly<Record<string, unknown>> = check({ [argument]: value });
    return await subject.findProject(checked[argument] as never, context);
  };
}

/** The schema as plain JSON Schema, without this package's private keywords. */
export function toPublished(schema: TSchema): JsonObject {
  const isPrivate = (key: string) => (privateKeywords as readonly string[]).includes(key);
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) => (isPrivate(key) ? undefined : value)),
  ) as JsonObject;
}
