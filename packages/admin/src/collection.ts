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
import { array, boolean, nullable, object, type Refine, refined, string } from "./schemas.ts";

/** A page to read, in the form of stores. */
export type PageRequest = ReturnType<typeof toPageRequest>;

/** A page that was read; the last one has no cursor. */
export interface ReadPage<Row> {
  readonly items: readonly Row[];
  readonly nextCursor?: string | undefined;
}

type Shape = Readonly<Record<string, TSchema>>;
type NoInput = Readonly<Record<string, never>>;
type ForProjects = Pick<OperationDefinition<TObject, never>, "projectTypes" | "refuseProjectType">;

/** Resources of one kind: their key, their project, and their shown form. */
export interface CollectionDefinition<Value, Row, Context> extends ForProjects {
  readonly list: string;
  readonly key: Key<Value>;
  /** UUID of the resource's project; absent where resources belong to the whole gateway. @throws GatewayError `not_found` */
  readonly findProject?: (value: Value, context: Context) => Promise<string>;
  readonly shape: TObject;
  readonly show: (row: Row, context: Context) => JsonObject;
}

type Named = Pick<
  OperationDefinition<TObject, never>,
  "name" | "description" | "access" | "timeoutMs" | "takesIdempotencyKey"
>;

/** Operation on one resource, which it returns. Its input is the resource's key and `input`. */
interface ResourceOperation<Value, Input extends Shape, Context, Result, Prepared> extends Named {
  readonly input?: Input;
  /** Rule across arguments, which their descriptions state; its message is the whole refusal. */
  readonly rule?: Refine<Static<TObject<Input>>>;
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

/** Operation that lists resources. Its input adds `limit` and `cursor`. */
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

/** Schema of {@link encodePage}'s result. */
export function pageOf(list: string, item: TSchema): TObject {
  return object({
    [list]: array(item),
    next_cursor: nullable(string()),
  });
}

/** Operations on resources of one kind, as {@link defineCollection} makes them; a service publishes those that it calls. */
export interface Collection<Value, Row, Base> {
  /** On one resource; returns the result of `run`. */
  about<Input extends Shape = NoInput, Context extends Base = Base, Prepared = undefined>(
    operation: OtherOperation<Value, Input, Context, Prepared>,
  ): Operation<Context>;
  /** Shows or changes one resource; returns the resource that `run` returns. */
  one<Input extends Shape = NoInput, Context extends Base = Base, Prepared = undefined>(
    operation: ResourceOperation<Value, Input, Context, Row, Prepared>,
  ): Operation<Context>;
  /** Deletes one resource; returns it with `deleted: true`. */
  remove<Context extends Base = Base>(
    operation: ResourceOperation<Value, NoInput, Context, Row, unknown>,
  ): Operation<Context>;
  /** Lists one page of resources, with `next_cursor`, null on the last. */
  list<Input extends Shape = NoInput, Context extends Base = Base>(
    operation: ListOperation<Input, Row, Context>,
  ): Operation<Context>;
}

/** Creates the operations on resources of one kind: reads the key, finds the project for the access check, and encodes shown resources. */
export function defineCollection<Value, Row extends object, Base>(
  definition: CollectionDefinition<Value, Row, Base>,
): Collection<Value, Row, Base> {
  const { list, key, findProject, shape, show, ...forProjects } = definition;
  const split = createSplit(key);
  const collection: Collection<Value, Row, Base> = {
    about<Input extends Shape, Context extends Base, Prepared>({
      input,
      rule,
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
        ...subjectOf(key, findProject),
        ...preparing,
        input: inputOf({ [key.argument]: key.schema, ...input }, rule as Refine<unknown> | undefined),
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
        answersOtherTypes: true,
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

function inputOf(members: Shape, rule: Refine<unknown> | undefined): TObject {
  const input = object(members);
  return rule === undefined ? input : refined(input, rule);
}

function subjectOf<Value, Base>(
  key: Key<Value>,
  findProject: CollectionDefinition<Value, never, Base>["findProject"],
): { readonly subject?: Subject<Base> } {
  if (findProject === undefined) return {};
  return {
    subject: {
      argument: key.argument,
      findProject: async (given: never, context: Base) => await findProject(key.read(given), context),
    },
  };
}

/** Separates the key's argument from the others. */
function createSplit<Value>(key: Key<Value>) {
  return <Call extends { readonly input: unknown }>({ input: given, ...call }: Call) => {
    const { [key.argument]: value, ...others } = given as Readonly<Record<string, unknown>>;
    return { value: key.read(value as never), call: { ...call, input: others as never } };
  };
}
