import type { JsonObject } from "@gatehouse/json";
import type { Static, TObject, TSchema } from "typebox";
import { page } from "./arguments.ts";
import type { Key } from "./keys.ts";
import {
  defineOperation,
  type JudgedCall,
  type Operation,
  type OperationCall,
  type OperationDefinition,
  type PreparedCall,
  type Subject,
} from "./operation.ts";
import { toPageRequest } from "./paging.ts";
import { array, boolean, nullable, object, string } from "./schemas.ts";

/** A page to read, as stores take it. */
export type PageRequest = ReturnType<typeof toPageRequest>;

/** A page that was read; without a cursor it is the last. */
export interface ReadPage<Row> {
  readonly items: readonly Row[];
  readonly nextCursor?: string | undefined;
}

type Shape = Readonly<Record<string, TSchema>>;
type NoInput = Readonly<Record<string, never>>;
type ForProjects = Pick<OperationDefinition<TObject, never>, "projectTypes" | "refuseProjectType">;

/** Resources of one kind: how operations name one, which project it is in, and how it is shown. */
export interface CollectionDefinition<Value, Row, Context> extends ForProjects {
  /** The list's member in answers. */
  readonly list: string;
  readonly key: Key<Value>;
  /** The uuid of the resource's project; absent where resources are the whole gateway's. @throws GatewayError `not_found` */
  readonly findProject?: (value: Value, context: Context) => Promise<string>;
  /** The schema of one resource as it is shown. */
  readonly shape: TObject;
  readonly show: (row: Row, context: Context) => JsonObject;
}

type Named = Pick<
  OperationDefinition<TObject, never>,
  "name" | "description" | "access" | "timeoutMs" | "takesIdempotencyKey"
>;

/** Operation on one resource, which its result shows. Its input is the argument of the resource's key and `input`. */
interface ResourceOperation<Value, Input extends Shape, Context, Result, Prepared> extends Named {
  readonly input?: Input;
  /** Same contract as `prepare` of {@link OperationDefinition}. */
  readonly prepare?: (value: Value, call: JudgedCall<Static<TObject<Input>>>, context: Context) => Promise<Prepared>;
  readonly run: (
    value: Value,
    call: PreparedCall<Static<TObject<Input>>, Prepared>,
    context: Context,
  ) => Promise<Result>;
}

/** Operation on one resource with another result: an object of the schema `output`. */
interface OtherOperation<Value, Input extends Shape, Context, Prepared> extends ResourceOperation<
  Value,
  Input,
  Context,
  JsonObject,
  Prepared
> {
  readonly output: TObject;
}

/** An operation that lists resources. Its input has `limit` and `cursor` beside the arguments that are named here. */
interface ListOperation<Input extends Shape, Row, Context> extends Named {
  readonly input?: Input;
  readonly subject?: Subject<Context>;
  readonly find: (
    call: OperationCall<Static<TObject<Input>>>,
    page: PageRequest,
    context: Context,
  ) => Promise<ReadPage<Row>>;
}

/** A page under the list's name; `next_cursor` is null on the last one. */
export function encodePage<Row>(list: string, { items, nextCursor }: ReadPage<Row>, show: (row: Row) => JsonObject) {
  return { [list]: items.map((row) => show(row)), next_cursor: nextCursor ?? null };
}

/** The schema of what {@link encodePage} makes. */
export function pageOf(list: string, item: TSchema): TObject {
  return object({
    [list]: array(item),
    next_cursor: nullable(string()),
  });
}

/** Makes the operations on resources of one kind. */
export interface Collection<Value, Row, Base> {
  /** About one resource; answers with what `run` gives. */
  about<Input extends Shape = NoInput, Context extends Base = Base, Prepared = undefined>(
    operation: OtherOperation<Value, Input, Context, Prepared>,
  ): Operation<Context>;
  /** Shows or changes one resource; answers with the resource that `run` gives. */
  one<Input extends Shape = NoInput, Context extends Base = Base, Prepared = undefined>(
    operation: ResourceOperation<Value, Input, Context, Row, Prepared>,
  ): Operation<Context>;
  /** Deletes one resource; answers with it and `deleted: true`. */
  remove<Context extends Base = Base>(
    operation: ResourceOperation<Value, NoInput, Context, Row, unknown>,
  ): Operation<Context>;
  /** One page of resources, with the `next_cursor` of the next one or null. */
  list<Input extends Shape = NoInput, Context extends Base = Base>(
    operation: ListOperation<Input, Row, Context>,
  ): Operation<Context>;
}

/** Makes the operations on resources of one kind: reads the key, finds the project for the access check, and encodes what is shown. */
export function defineCollection<Value, Row extends object, Base>(
  definition: CollectionDefinition<Value, Row, Base>,
): Collection<Value, Row, Base> {
  const { list, key, findProject, shape, show, ...forProjects } = definition;
  const subject = findProject === undefined ? {} : subjectOf(key, findProject);
  const split = createSplit(key);
  const collection: Collection<Value, Row, Base> = {
    about<Input extends Shape, Context extends Base, Prepared>({
      input,
      prepare,
      run,
      ...named
    }: OtherOperation<Value, Input, Context, Prepared>) {
      const preparing = prepare && {
        async prepare(given: JudgedCall<unknown>, context: Context) {
          const { value, call } = split(given);
          return await prepare(value, call, context);
        },
      };
      return defineOperation<TObject, Context, Prepared>({
        ...forProjects,
        ...named,
        ...subject,
        ...preparing,
        input: object({ [key.argument]: key.schema, ...input }),
        async run(given, context) {
          const { value, call } = split(given);
          return await run(value, call, context);
        },
      });
    },
    one: ({ run, ...named }) =>
      collection.about({
        output: shape,
        ...named,
        run: async (value, call, context) => show(await run(value, call, context), context),
      }),
    remove: ({ run, ...named }) =>
      collection.about({
        output: object({ ...shape.properties, deleted: boolean() }),
        ...named,
        run: async (value, call, context) => ({ ...show(await run(value, call, context), context), deleted: true }),
      }),
    list<Input extends Shape, Context extends Base>({ input, find, ...named }: ListOperation<Input, Row, Context>) {
      return defineOperation<TObject, Context>({
        ...forProjects,
        ...named,
        input: object({ ...input, ...page }),
        output: pageOf(list, shape),
        async run(call, context) {
          const { limit, cursor, ...given } = call.input as JsonObject & PageRequest;
          const found = await find({ ...call, input: given as never }, toPageRequest({ limit, cursor }), context);
          return encodePage(list, found, (row) => show(row, context));
        },
      });
    },
  };
  return collection;
}

function subjectOf<Value, Base>(
  key: Key<Value>,
  findProject: (value: Value, context: Base) => Promise<string>,
): { readonly subject: Subject<Base> } {
  return {
    subject: {
      argument: key.argument,
      findProject: async (given: never, context: Base) => await findProject(key.read(given), context),
    },
  };
}

/** Takes the key's argument apart from the others. */
function createSplit<Value>(key: Key<Value>) {
  return <Call extends { readonly input: unknown }>({ input: given, ...call }: Call) => {
    const { [key.argument]: value, ...others } = given as Readonly<Record<string, unknown>>;
    return { value: key.read(value as never), call: { ...call, input: others as never } };
  };
}
