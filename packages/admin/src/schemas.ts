import { type Static, type TArray, type TObject, type TSchema, type TUnsafe, Type } from "typebox";

/**
 * Builders of JSON Schemas for arguments and results. A schema of arguments describes all enforced rules, so that a value which
 * passes a client's own check is never refused as malformed. Schemas of results have no bounds; clients' types are derived from
 * them.
 */

interface StringOptions {
  readonly description: string;
  /** Unicode code points. */
  readonly lengthMax: number;
  /** Whether line breaks and other control characters are allowed. NUL never is: Postgres refuses it. */
  readonly multiline?: boolean;
  /** A JSON Schema format, for clients; not enforced here. */
  readonly format?: string;
}

/** Not blank, without control characters and lone surrogates. */
export const linePattern = "^(?=.*\\S)[^\\p{Cc}\\p{Cs}]*$";
const multilinePattern = "^(?=[^]*\\S)[^\\u0000\\p{Cs}]*$";

/**
 * A string of 1 to `lengthMax` code points, not blank and without control characters; a `multiline` one only without NUL. Any
 * string without options.
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

/** Inclusive bounds of a number. */
export interface RangeOptions {
  readonly description: string;
  readonly min: number;
  readonly max: number;
}

/** Schema of a whole number from `min` to `max`, both inclusive; the check of arguments refuses fractions and numbers in text. */
export function integer({ description, min, max }: RangeOptions) {
  return Type.Integer({ description, minimum: min, maximum: max });
}

/** A number within bounds, or any number; may be fractional. */
export function number(range?: RangeOptions) {
  if (range === undefined) return Type.Number();
  const { description, min, max } = range;
  return Type.Number({ description, minimum: min, maximum: max });
}

/** Schema of `true` or `false`; texts and numbers are not converted. The description is for arguments, which clients show. */
export function boolean(description?: string) {
  return Type.Boolean(described(description));
}

/** Schema without any rule, for values that the owner passes on unread; excludes nothing, `null` included. */
export function unknown() {
  return Type.Unsafe<unknown>({});
}

/** One of a closed list; other values are refused as `Invalid <field>: <value>`. */
export function oneOf<const T extends string>(description: string, choices: readonly T[]) {
  return Type.Unsafe<T>({ type: "string", description, enum: [...choices] });
}

interface ArrayOptions extends RangeOptions {
  /** Start of the message that names all members outside the items' enum, such as `Unknown scope(s)`. */
  readonly unknownMembers?: string;
}

/** An array within inclusive bounds, or of any length without options. */
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

/** Keyword of {@link ArrayOptions.unknownMembers}. */
export const unknownMembersKey = "x-unknown-members";
/** Keyword of messages, by the JSON Schema keyword that refuses. */
export const messagesKey = "x-messages";
/** Keyword of a {@link Refine} function. */
export const refineKey = "x-refine";
/** OpenAPI's keyword, supported by ajv: a member's value selects the alternative. */
export const discriminatorKey = "discriminator";

/** Keyword of an argument of a change whose null is refused instead of counting as absent: what to give instead. */
export const insteadOfNullKey = "x-instead-of-null";

/** Keywords that are not part of the published schema. */
export const privateKeywords = [unknownMembersKey, messagesKey, refineKey, discriminatorKey, insteadOfNullKey] as const;

/** Problem of a value, to follow the field's name; undefined where there is none. */
export type Refine<Value> = (value: Value) => string | undefined;

/**
 * A schema with a condition that JSON Schema cannot express, beside those that it has. The description must state it, since a client's
 * check does not know it. The condition is judged after all keywords, so it sees only values that they admit.
 */
export function refined<Schema extends TSchema>(schema: Schema, refine: Refine<Static<Schema>>): Schema {
  const { [refineKey]: present } = schema as TSchema & { readonly [refineKey]?: Refine<Static<Schema>> };
  const both: Refine<Static<Schema>> = (value) => present?.(value) ?? refine(value);
  return { ...schema, [refineKey]: present === undefined ? refine : both };
}

/** Message of a refusal, to follow the field's name. */
export type Message = string | ((data: unknown) => string);

/** A schema with separate messages by the JSON Schema keyword that refuses. */
export function withMessages<Schema extends TSchema>(
  schema: Schema,
  messages: Readonly<Record<string, Message>>,
): Schema {
  const { [messagesKey]: present = {} } = schema as TSchema & { readonly [messagesKey]?: object };
  return { ...schema, [messagesKey]: { ...present, ...messages } };
}

type Members = Readonly<Record<string, TSchema>>;

/** An object without additional members. */
export function object<Own extends Members>(members: Own, description?: string) {
  return Type.Object(members, { additionalProperties: false, ...described(description) });
}

export function looseObject(): TObject;
/** An object that keeps undescribed members, for another operation to check. */
export function looseObject<Own extends Members>(
  members: Own,
): TUnsafe<Static<TObject<Own>> & Readonly<Record<string, unknown>>>;
export function looseObject(members?: Members): TSchema {
  return members === undefined ? Type.Unsafe({ type: "object" }) : Type.Unsafe(Type.Object(members));
}

/** An object whose members have one kind of value; known names are listed for clients. */
export function record<Value extends TSchema>(value: Value, names?: readonly string[], description?: string) {
  return Type.Unsafe<Readonly<Record<string, Static<Value>>>>({
    type: "object",
    ...described(description),
    ...(names === undefined ? {} : { properties: Object.fromEntries(names.map((name) => [name, value])) }),
    additionalProperties: value,
  });
}

/** Schema of results with several forms, of which exactly one must match (`oneOf`). */
export function union<Kinds extends readonly TSchema[]>(...kinds: Kinds) {
  return Type.Unsafe<Static<Kinds[number]>>({ oneOf: kinds });
}

/** One of several kinds of objects, selected by the member `type`. */
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

/** A member that may be absent; an absent argument changes nothing, or means the default. */
export function optional<Schema extends TSchema>(schema: Schema) {
  return Type.Optional(schema);
}

/** Optional for callers; `run` always finds a value. */
export function withDefault<Schema extends TSchema>(schema: Schema, fallback: Static<Schema>): Schema {
  return Type.Optional({ ...schema, default: fallback });
}

/** A value or null. The description states the meaning of null. */
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
