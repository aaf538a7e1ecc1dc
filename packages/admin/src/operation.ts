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
  /** For the audit events of the change. `project` is the one that the arguments name, where they do. */
  readonly initiator: AuditInitiator;
  /** The type of the initiator's project; empty where the call is about none. */
  readonly projectType: string;
  /** Whether the caller's role is for named projects, of which the call's is one, rather than for the whole gateway. */
  readonly isForNamedProjects: boolean;
  /** Aborted when the caller no longer waits. */
  readonly signal: AbortSignal;
}

/** Things that earlier changes of a plan will have made, for a call that is judged before they are made. */
export interface Planned {
  /** Resources that the arguments name, by kind and argument: `provider/openai`. */
  readonly references: ReadonlySet<string>;
  /** Resources of the operation's kind that its project will have besides those that are there. */
  readonly siblings: number;
}

/** For a call that stands alone. */
const nothingPlanned: Planned = { references: new Set(), siblings: 0 };

/** A call that is judged, as one that will be made after what is planned. */
export interface JudgedCall<Input> extends OperationCall<Input> {
  readonly planned: Planned;
}

/** A judged call, with the result of its preparation. */
export interface PreparedCall<Input, Prepared> extends OperationCall<Input> {
  readonly prepared: Prepared;
}

/** The resource that a call is about, for operations that do not take its project as an argument. */
export type Subject<Context> = OwnSubject<Context> | ForeignSubject;

interface OwnSubject<Context> {
  /** The argument that names the resource. */
  readonly argument: string;
  /** The uuid of the resource's project. @throws GatewayError `not_found` for a resource that this owner does not have. */
  findProject(value: never, context: Context): Promise<string>;
}

/** A resource of another owner. */
interface ForeignSubject {
  readonly argument: string;
  /** The operation whose owners know the resource's project. */
  readonly operation: `svc_${string}`;
}

/** An operation as its owner writes it down; tool, schema, checks and command line follow from it. */
export interface OperationDefinition<Input extends TObject, Context, Prepared = undefined> {
  /** With the prefix `svc_`. */
  readonly name: `svc_${string}`;
  readonly description: string;
  readonly access: Access;
  readonly input: Input;
  /** The project types that it is for, where several services own operations of one name. */
  readonly projectTypes?: readonly string[];
  /** The refusal of projects of other types. */
  readonly refuseProjectType?: (projectType: string) => string;
  readonly subject?: Subject<Context>;
  /** Whether it also answers for projects that are deleted; the call's initiator then has no project. */
  readonly coversDeletedProjects?: boolean;
  /** Longest time of a call, where that is longer than usual, milliseconds. */
  readonly timeoutMs?: number;
  /**
   * Whether a caller may give a key under which repetitions get the first answer: for what makes something new each time. From the
   * first write on, `run` then works in one transaction of the owner's store, and asks nothing of others.
   */
  readonly takesIdempotencyKey?: boolean;
  /** The schema of the result, from which clients' types are made; tests hold results to it. */
  readonly output: TObject;
  /**
   * Judges everything that can be judged without writing, and asks nothing of others that has an effect there: rules across fields,
   * references, limits, names that are taken. A configuration document is judged by it as a whole before anything is written.
   * @returns what `run` takes from it
   * @throws GatewayError as `run`
   */
  readonly prepare?: (call: JudgedCall<Static<Input>>, context: Context) => Promise<Prepared>;
  /** The result is a JSON object. Whatever was judged may have changed meanwhile. */
  readonly run: (call: PreparedCall<Static<Input>, Prepared>, context: Context) => Promise<JsonObject>;
}

/** One tool of the Control Plane, at its owner. */
export interface Operation<Context = never> {
  readonly name: string;
  readonly description: string;
  readonly access: Access;
  /** The schema that is enforced. */
  readonly input: TObject;
  /** Schema of the input as clients see it: plain JSON Schema. */
  readonly inputSchema: JsonObject;
  /** The schema of the result. */
  readonly output: TObject;
  readonly projectTypes: readonly string[];
  /** 0 where the caller's default will do. */
  readonly timeoutMs: number;
  /** The argument that names the resource; empty where there is none. */
  readonly subject: string;
  /** The operation whose owners know the subject's project; empty where this one's owner does. */
  readonly subjectOperation: string;
  readonly coversDeletedProjects: boolean;
  readonly takesIdempotencyKey: boolean;
  /** The uuid of the project of the resource that the subject's value names. @throws GatewayError `not_found` */
  readonly findProject: (value: unknown, context: Context) => Promise<string>;
  /** Judges a call by its arguments and the project's type alone. @throws GatewayError `invalid_argument` */
  readonly check: (call: Pick<OperationCall<JsonObject>, "input" | "projectType">) => void;
  /** Judges a call as far as that needs no writing. @throws GatewayError whatever the call would be refused with then */
  readonly judge: (call: JudgedCall<JsonObject>, context: Context) => Promise<void>;
  /**
   * Checks the arguments, then runs.
   * @param around stands around what runs once the call is judged; nothing where absent
   * @throws GatewayError `invalid_argument` and whatever the operation refuses with.
   */
  readonly call: (call: OperationCall<JsonObject>, context: Context, around?: Around) => Promise<JsonObject>;
}

/** Runs a call that was judged. */
export type Around = (run: () => Promise<JsonObject>) => Promise<JsonObject>;

const nothingAround: Around = async (run) => await run();

/**
 * Makes one operation of its owner: the tool that clients see, the check of arguments by the same schema, and the call.
 * @throws Error where the schema is faulty: at once for a large one, else at the first call.
 */
export function defineOperation<Input extends TObject, Context, Prepared = undefined>(
  definition: OperationDefinition<Input, Context, Prepared>,
): Operation<Context> {
  const { name, description, access, input, projectTypes = [], output, timeoutMs = 0, subject, run } = definition;
  const { coversDeletedProjects = false, takesIdempotencyKey = false } = definition;
  const { refuseProjectType = (type: string) => `${name} is not for projects of type ${type}.` } = definition;
  const checkArguments = createArgumentsCheck(input);
  const check = (call: Pick<OperationCall<JsonObject>, "input" | "projectType">): Static<Input> => {
    const { projectType } = call;
    if (projectType !== "" && projectTypes.length > 0 && !projectTypes.includes(projectType)) {
      throw invalidArgument(refuseProjectType(projectType));
    }
    return checkArguments(call.input);
  };
  // An operation without `prepare` takes undefined of it, by its type.
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

/** The schema as plain JSON, without what only this package understands. */
export function toPublished(schema: TSchema): JsonObject {
  const isPrivate = (key: string) => (privateKeywords as readonly string[]).includes(key);
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) => (isPrivate(key) ? undefined : value)),
  ) as JsonObject;
}
