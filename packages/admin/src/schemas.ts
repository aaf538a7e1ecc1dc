import { type Static, type TArray, type TObject, type TSchema, type TUnsafe, Type } from "typebox";

/**
 * The JSON Schemas of arguments and of results, under one set of names. A schema of arguments says all that is enforced, in words
 * that any client understands: what a client's own check admits is never refused as malformed. Results take the schemas without
 * bounds; clients' types are made of them.
 */

interface StringOptions {
  readonly description: string;
  /** Unicode code points. */
  readonly lengthMax: number;
  /** Whether line breaks and other control characters may stand in it. NUL never may: Postgres refuses it. */
  readonly multiline?: boolean;
  /** A JSON Schema format, for clients; not enforced here. */
  readonly format?: string;
}

/** Something besides white space; no lone surrogates. */
export const linePattern = "^(?=.*\\S)[^\\p{Cc}\\p{Cs}]*$";
const multilinePattern = "^(?=[^]*\\S)[^\\u0000\\p{Cs}]*$";

/**
 * A string of 1 to `lengthMax` code points, not blank and without control characters; a `multiline` one only without NUL. Any string
 * without options.
 */
export function string(options?: StringOptions) {
  if (options === undefined) return Type.String();
  const { description, lengthMax, multiline = false, format } = options;
  return Type.String({
    description,
    minLength: 1,
    maxLength: lengthMax,
    pattern: multiline ? multilinePattern : linePattern,
    ...(format === undefined ? {} : { format }),
  });
}

/** Bounds of a number, both included. */
export interface RangeOptions {
  readonly description: string;
  readonly min: number;
  readonly max: number;
}

/** A whole number within bounds. */
export function integer({ description, min, max }: RangeOptions) {
  return Type.Integer({ description, minimum: min, maximum: max });
}

/** A number within bounds, or any number; fractions are fine. */
export function number(range?: RangeOptions) {
  if (range === undefined) return Type.Number();
  const { description, min, max } = range;
  return Type.Number({ description, minimum: min, maximum: max });
}

/** True or false. */
export function boolean(description?: string) {
  return Type.Boolean(described(description));
}

/** Any JSON value. */
export function unknown() {
  return Type.Unsafe<unknown>({});
}

/** One of a closed list; anything else is refused as `Invalid <field>: <value>`. */
export function oneOf<const T extends string>(description: string, choices: readonly T[]) {
  return Type.Unsafe<T>({ type: "string", description, enum: [...choices] });
}

interface ArrayOptions extends RangeOptions {
  /** Begins the message that names all members outside the items' enum, such as `Unknown scope(s)`. */
  readonly unknownMembers?: string;
}

/** An array within bounds, both included, or one of any length. */
export function array<Item extends TSchema>(item: Item, options?: ArrayOptions): TArray<Item> {
  if (options === undefined) return Type.Array(item);
  const { description, min, max, unknownMembers } = options;
  return Type.Array(item, {
    description,
    minItems: min,
    maxItems: max,
    ...(unknownMembers === undefined ? {} : { [unknownMembersKey]: unknownMembers }),
  });
}

/** Carries {@link ArrayOptions.unknownMembers}. */
export const unknownMembersKey = "x-unknown-members";
/** Carries the words of a refusal, by the JSON Schema keyword that refuses. */
export const messagesKey = "x-messages";
/** Carries a {@link Refine} function. */
export const refineKey = "x-refine";
/** OpenAPI's keyword, as ajv knows it: a member's value chooses the alternative. */
export const discriminatorKey = "discriminator";

/** Keywords that are not part of the published schema. */
export const privateKeywords = [unknownMembersKey, messagesKey, refineKey, discriminatorKey] as const;

/** The problem of a value, in words that follow the field's name; undefined where there is none. */
export type Refine<Value> = (value: Value) => string | undefined;

/**
 * A schema with a condition that JSON Schema cannot say. The schema's description has to name it, since a client's own check
 * does not know it.
 */
export function refined<Schema extends TSchema>(schema: Schema, refine: Refine<Static<Schema>>): Schema {
  return { ...schema, [refineKey]: refine };
}

/** Message of a refusal, to follow the field's name. */
export type Message = string | ((data: unknown) => string);

/** A schema with its own messages for refusals, by the JSON Schema keyword that refuses. */
export function withMessages<Schema extends TSchema>(
  schema: Schema,
  messages: Readonly<Record<string, Message>>,
): Schema {
  const { [messagesKey]: present = {} } = schema as TSchema & { readonly [messagesKey]?: object };
  return { ...schema, [messagesKey]: { ...present, ...messages } };
}

type Members = Readonly<Record<string, TSchema>>;

/** An object that admits no other members. */
export function object<Own extends Members>(members: Own, description?: string) {
  return Type.Object(members, { additionalProperties: false, ...described(description) });
}

/** An object of any members. */
export function looseObject(): TObject;
/** An object that keeps the members which it does not describe, for another operation to check. */
export function looseObject<Own extends Members>(
  members: Own,
): TUnsafe<Static<TObject<Own>> & Readonly<Record<string, unknown>>>;
export function looseObject(members?: Members): TSchema {
  return members === undefined ? Type.Unsafe({ type: "object" }) : Type.Unsafe(Type.Object(members));
}

/** An object of members that have one kind of value; the ones that are known by name are listed for clients. */
export function record<Value extends TSchema>(value: Value, names?: readonly string[], description?: string) {
  return Type.Unsafe<Readonly<Record<string, Static<Value>>>>({
    type: "object",
    ...described(description),
    ...(names === undefined ? {} : { properties: Object.fromEntries(names.map((name) => [name, value])) }),
    additionalProperties: value,
  });
}

/** A value of one of several schemas. */
export function union<Kinds extends readonly TSchema[]>(...kinds: Kinds) {
  return Type.Unsafe<Static<Kinds[number]>>({ oneOf: kinds });
}

/** One of several kinds of objects; the member `type` distinguishes them. */
export function discriminatedUnion<const Kinds extends Readonly<Record<string, Members>>>(
  kinds: Kinds,
  description: string,
) {
  const alternatives = Object.entries(kinds).map(([type, members]) => object({ type: Type.Literal(type), ...members }));
  return Type.Unsafe<UnionOf<Kinds>>({
    type: "object",
    description,
    [discriminatorKey]: { propertyName: "type" },
    oneOf: alternatives,
  });
}

type UnionOf<Kinds extends Readonly<Record<string, Members>>> = {
  [Type in keyof Kinds]: { readonly type: Type } & Static<TObject<Kinds[Type]>>;
}[keyof Kinds];

/** A member that may be absent. Of an argument: nothing is changed, or the default holds. */
export function optional<Schema extends TSchema>(schema: Schema) {
  return Type.Optional(schema);
}

/** Optional for callers; `run` always finds a value. */
export function withDefault<Schema extends TSchema>(schema: Schema, fallback: Static<Schema>): Schema {
  return Type.Optional({ ...schema, default: fallback });
}

/** A value or null. What null means as an argument, the description names. */
export function nullable<Schema extends TSchema>(schema: Schema) {
  const { type, enum: choices, ...rest } = schema as TSchema & { readonly type?: unknown; readonly enum?: unknown };
  return Type.Unsafe<Static<Schema> | null>({
    ...rest,
    type: [...(Array.isArray(type) ? (type as unknown[]) : [type]), "null"],
    ...(Array.isArray(choices) ? { enum: [...(choices as unknown[]), null] } : {}),
  });
}

function described(description: string | undefined) {
  return description === undefined ? {} : { description };
}
