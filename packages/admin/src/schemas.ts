import { reservedSlugs, slugPattern } from "@gatehouse/slugs";
import { type Static, type TArray, type TObject, type TSchema, Type } from "typebox";

/**
 * The kinds of arguments that operations take, as JSON Schemas. A schema says all that is enforced, in words that any client
 * understands: what a client's own check admits is never refused as malformed.
 */

interface TextOptions {
  readonly description: string;
  /** Unicode code points. */
  readonly lengthMax: number;
  /** Whether line breaks and other control characters may stand in it. NUL never may: Postgres refuses it. */
  readonly multiline?: boolean;
  /** A JSON Schema format, for clients; not enforced here. */
  readonly format?: string;
}

/** Something besides white space; no lone surrogates. */
const linePattern = "^(?=.*\\S)[^\\p{Cc}\\p{Cs}]*$";
const multilinePattern = "^(?=[^]*\\S)[^\\u0000\\p{Cs}]*$";

/** A string of 1 to `lengthMax` code points, not blank and without control characters; a `multiline` one only without NUL. */
export function text({ description, lengthMax, multiline = false, format }: TextOptions) {
  return Type.String({
    description,
    minLength: 1,
    maxLength: lengthMax,
    pattern: multiline ? multilinePattern : linePattern,
    ...(format === undefined ? {} : { format }),
  });
}

/** Text that names something which exists or does not; any string will do, since an unknown one is simply not found. */
export function reference(description: string) {
  return Type.String({ description });
}

/** An integer id that exists or does not; one beyond all that are given out is simply not found. */
export function id(description: string) {
  return Type.Integer({ description });
}

interface RangeOptions {
  readonly description: string;
  readonly min: number;
  readonly max: number;
}

/** A whole number within bounds, both included. */
export function integer({ description, min, max }: RangeOptions) {
  return Type.Integer({ description, minimum: min, maximum: max });
}

/** A number within bounds, both included; fractions are fine. */
export function number({ description, min, max }: RangeOptions) {
  return Type.Number({ description, minimum: min, maximum: max });
}

/** A boolean argument. */
export function flag(description: string) {
  return Type.Boolean({ description });
}

/** One of a closed list; anything else is refused as `Invalid <field>: <value>`. */
export function oneOf<const T extends string>(description: string, choices: readonly T[]) {
  return Type.Unsafe<T>({ type: "string", description, enum: [...choices] });
}

/** One number, which may be written as text. */
export function numberOrText(description: string, choice: number) {
  return Type.Unsafe<number | string>({ type: ["integer", "string"], description, enum: [choice, String(choice)] });
}

interface ListOptions extends RangeOptions {
  /** Begins the message that names all members outside the items' enum, such as `Unknown scope(s)`. */
  readonly unknownMembers?: string;
}

/** An array within bounds, both included. */
export function list<Item extends TSchema>(item: Item, options: ListOptions): TArray<Item> {
  const { description, min, max, unknownMembers } = options;
  return Type.Array(item, {
    description,
    minItems: min,
    maxItems: max,
    ...(unknownMembers === undefined ? {} : { [unknownMembersKey]: unknownMembers }),
  });
}

/** Carries {@link ListOptions.unknownMembers}. */
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

/** Words of a refusal, after the field's name. */
export type Words = string | ((data: unknown) => string);

/** A schema with its own words for refusals, by the JSON Schema keyword that refuses. */
export function worded<Schema extends TSchema>(schema: Schema, words: Readonly<Record<string, Words>>): Schema {
  const { [messagesKey]: present = {} } = schema as TSchema & { readonly [messagesKey]?: object };
  return { ...schema, [messagesKey]: { ...present, ...words } };
}

/**
 * A list that may not have some texts as items.
 * @param problem words of the refusal, after the list's name, of the first such item
 */
export function withoutItems<List extends TArray>(
  schema: List,
  excluded: readonly string[],
  problem: (item: string) => string,
): List {
  const first = (data: unknown) => excluded.find((item) => (data as readonly unknown[]).includes(item)) ?? "";
  const not = { type: "array", contains: { enum: [...excluded] } };
  return worded({ ...schema, not }, { not: (data) => problem(first(data)) });
}

/**
 * A record that may not have members of some names.
 * @param problem words of the refusal, after the record's name, of such a member
 */
export function withoutMembers<Schema extends TSchema>(
  schema: Schema,
  excluded: readonly string[],
  problem: (name: string) => string,
): Schema {
  const propertyNames = worded({ not: { enum: [...excluded] } }, { not: (name) => problem(String(name)) });
  return { ...schema, propertyNames };
}

interface MatchingOptions {
  readonly description: string;
  readonly lengthMax: number;
  /** 1 when absent. */
  readonly lengthMin?: number;
  readonly pattern: RegExp;
  /** Words of the refusal, after the field's name. */
  readonly problem: string;
  /** Texts that match the pattern and are still refused. */
  readonly except?: { readonly pattern: RegExp; readonly problem: string };
  /** A JSON Schema format, for clients; not enforced here. */
  readonly format?: string;
}

/** Text of one form. */
export function matching(options: MatchingOptions) {
  const { description, lengthMin = 1, lengthMax, pattern, problem, except, format } = options;
  const excluded = except === undefined ? {} : { not: { type: "string", pattern: except.pattern.source } };
  const messages = { pattern: problem, ...(except === undefined ? {} : { not: except.problem }) };
  return Type.Unsafe<string>({
    type: "string",
    description,
    minLength: lengthMin,
    maxLength: lengthMax,
    pattern: pattern.source,
    ...excluded,
    ...(format === undefined ? {} : { format }),
    [messagesKey]: messages,
  });
}

interface MatchingOrIntegerOptions extends RangeOptions {
  readonly pattern: RegExp;
  /** Words of every refusal, after the argument's name. */
  readonly problem: string;
}

/** A whole number in a range, or text of one form. */
export function matchingOrInteger({ description, min, max, pattern, problem }: MatchingOrIntegerOptions) {
  return Type.Unsafe<string | number>({
    type: ["string", "integer"],
    description,
    minimum: min,
    maximum: max,
    pattern: pattern.source,
    [messagesKey]: { type: problem, minimum: problem, maximum: problem, pattern: problem },
  });
}

/** An endpoint's slug. */
export const slug = matching({
  description: "The endpoint's name in its path, unique in the project.",
  lengthMax: 63,
  pattern: slugPattern,
  problem: `must match ${slugPattern.source}`,
  except: {
    pattern: new RegExp(`^(?:${[...reservedSlugs].join("|")})$`),
    problem: `must not be one of ${[...reservedSlugs].join(", ")}`,
  },
});

/** A resource by its name or by its id; the owner tells which. */
export function nameOrId(description: string, lengthMax: number) {
  return Type.Unsafe<string | number>({
    type: ["string", "integer"],
    description,
    minLength: 1,
    maxLength: lengthMax,
    pattern: linePattern,
  });
}

/** One of several kinds of records; the member `type` distinguishes them. */
export function union<const Kinds extends Readonly<Record<string, Readonly<Record<string, TSchema>>>>>(
  kinds: Kinds,
  description: string,
) {
  const alternatives = Object.entries(kinds).map(([type, members]) => record({ type: Type.Literal(type), ...members }));
  return Type.Unsafe<UnionOf<Kinds>>({
    type: "object",
    description,
    [discriminatorKey]: { propertyName: "type" },
    oneOf: alternatives,
  });
}

type UnionOf<Kinds extends Readonly<Record<string, Readonly<Record<string, TSchema>>>>> = {
  [Type in keyof Kinds]: { readonly type: Type } & Static<TObject<Kinds[Type]>>;
}[keyof Kinds];

/** An object of members that have one kind of value; the ones that are known by name are listed for clients. */
export function mapOf<Value extends TSchema>(value: Value, names: readonly string[], description: string) {
  return Type.Unsafe<Readonly<Record<string, Static<Value>>>>({
    type: "object",
    description,
    properties: Object.fromEntries(names.map((name) => [name, value])),
    additionalProperties: value,
  });
}

/** One word, or a record; a client's own check reads both from one schema. */
export function wordOrRecord<const Word extends string, Members extends Readonly<Record<string, TSchema>>>(
  word: Word,
  members: Members,
  description: string,
) {
  const names = Object.keys(members);
  const problem = `must be "${word}" or an object with ${names.join(", ")}`;
  return Type.Unsafe<Word | Static<TObject<Members>>>({
    type: ["object", "string"],
    description,
    pattern: `^${word}$`,
    properties: members,
    required: names,
    additionalProperties: false,
    [messagesKey]: { type: problem, pattern: problem },
  });
}

/** An object that admits no other members. */
export function record<Members extends Readonly<Record<string, TSchema>>>(members: Members, description?: string) {
  return Type.Object(members, {
    additionalProperties: false,
    ...(description === undefined ? {} : { description }),
  });
}

/** A record that keeps the members which it does not describe, for another operation to check. */
export function openRecord<Members extends Readonly<Record<string, TSchema>>>(members: Members) {
  return Type.Unsafe<Static<TObject<Members>> & Readonly<Record<string, unknown>>>(Type.Object(members));
}

/** A member that a client may leave out: nothing is changed, or the default holds. */
export function optional<Schema extends TSchema>(schema: Schema) {
  return Type.Optional(schema);
}

/** Optional for callers; `run` always finds a value. */
export function withDefault<Schema extends TSchema>(schema: Schema, fallback: Static<Schema>): Schema {
  return Type.Optional({ ...schema, default: fallback });
}

/** Optional; `null` has a meaning, which the description names. */
export function nullable<Schema extends TSchema>(schema: Schema) {
  const { type, enum: choices, ...rest } = schema as TSchema & { readonly type?: unknown; readonly enum?: unknown };
  return Type.Optional(
    Type.Unsafe<Static<Schema> | null>({
      ...rest,
      type: [...(Array.isArray(type) ? (type as unknown[]) : [type]), "null"],
      ...(Array.isArray(choices) ? { enum: [...(choices as unknown[]), null] } : {}),
    }),
  );
}

/** The argument of operations on a project's resources. The Control Plane resolves it; the owner finds it in the call's initiator. */
export const project = reference("The project's uuid.");

const pageLimit = { default: 50, max: 200 } as const;
const cursorLengthMax = 100;

/** The arguments of every list. */
export const page = {
  limit: withDefault(integer({ description: "Items on a page.", min: 1, max: pageLimit.max }), pageLimit.default),
  cursor: optional(text({ description: "The next_cursor of the page before.", lengthMax: cursorLengthMax })),
};
