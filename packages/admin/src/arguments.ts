import { reservedSlugs, slugPattern } from "@gatehouse/slugs";
import { type Static, type TArray, type TObject, type TSchema, Type } from "typebox";
import {
  integer,
  linePattern,
  messagesKey,
  optional,
  type RangeOptions,
  string,
  withDefault,
  withMessages,
} from "./schemas.ts";

/** Schemas of arguments that several operations share, built from `schemas.ts`. */

/** Text that names an existing resource. Any string is valid, since an unknown one is not found. */
export function reference(description: string) {
  return Type.String({ description });
}

/** Integer id of an existing resource. Any integer is valid, since an unknown one is not found. */
export function id(description: string) {
  return Type.Integer({ description });
}

/** Schema of one permitted integer, which may be written as a JSON string too: `2` or `"2"`. */
export function numberOrString(description: string, choice: number) {
  return Type.Unsafe<number | string>({ type: ["integer", "string"], description, enum: [choice, String(choice)] });
}

/** A list without certain items. @param problem refusal of the first such item, after the list's name */
export function withoutItems<List extends TArray>(
  schema: List,
  excluded: readonly string[],
  problem: (item: string) => string,
): List {
  const first = (data: unknown) => excluded.find((item) => (data as readonly unknown[]).includes(item)) ?? "";
  const not = { type: "array", contains: { enum: [...excluded] } };
  return withMessages({ ...schema, not }, { not: (data) => problem(first(data)) });
}

/** A record without certain members. @param problem refusal of such a member, after the record's name */
export function withoutMembers<Schema extends TSchema>(
  schema: Schema,
  excluded: readonly string[],
  problem: (name: string) => string,
): Schema {
  const propertyNames = withMessages({ not: { enum: [...excluded] } }, { not: (name) => problem(String(name)) });
  return { ...schema, propertyNames };
}

interface MatchingOptions {
  readonly description: string;
  readonly lengthMax: number;
  /** 1 when absent. */
  readonly lengthMin?: number;
  readonly pattern: RegExp;
  /** Message of the refusal, after the field's name. */
  readonly problem: string;
  /** Texts that match the pattern and are refused nevertheless. */
  readonly except?: { readonly pattern: RegExp; readonly problem: string };
  /** A JSON Schema format, for clients; not enforced here. */
  readonly format?: string;
}

/** Schema of a text of `lengthMin` to `lengthMax` code points that matches `pattern`; a refusal has the text of `problem`. */
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

/** Longest URL of an argument, characters; equals the egress guard's bound. */
export const urlLengthMax = 2_048;

/** The rule of {@link httpUrl}, in words that follow a field's name. */
export const httpUrlRule = "must be an http or https URL";

/** An http or https URL; the egress guard checks its destination. */
export function httpUrl(description: string, except?: MatchingOptions["except"]) {
  return matching({
    description,
    lengthMax: urlLengthMax,
    pattern: /^[Hh][Tt][Tt][Pp][Ss]?:\/\/[^\s\p{Cc}\p{Cs}]+$/u,
    problem: httpUrlRule,
    ...(except === undefined ? {} : { except }),
    format: "uri",
  });
}

/** As {@link httpUrl}, without a fragment. */
export function httpUrlWithoutFragment(description: string) {
  return matching({
    description,
    lengthMax: urlLengthMax,
    pattern: /^[Hh][Tt][Tt][Pp][Ss]?:\/\/[^\s#\p{Cc}\p{Cs}]+$/u,
    problem: urlWithoutFragment,
    format: "uri",
  });
}

/** Message for {@link httpUrlWithoutFragment}, after the field's name. */
export const urlWithoutFragment = `${httpUrlRule} without a fragment`;

interface MatchingOrIntegerOptions extends RangeOptions {
  readonly pattern: RegExp;
  /** Message of every refusal, after the argument's name. */
  readonly problem: string;
}

/** A whole number in a range, or text that matches a pattern. */
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

/** Schema of an endpoint's slug: at most 63 characters, and none of the names that routes reserve (`packages/slugs`). */
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

/** A resource by its name or id, which the owner distinguishes. */
export function nameOrId(description: string, lengthMax: number) {
  return Type.Unsafe<string | number>({
    type: ["string", "integer"],
    description,
    minLength: 1,
    maxLength: lengthMax,
    pattern: linePattern,
  });
}

/** A fixed word, or a record. One schema describes both, for checks by clients. */
export function literalOrObject<const Word extends string, Members extends Readonly<Record<string, TSchema>>>(
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

/** Argument of operations on a project's resources. The Control Plane resolves it; the owner reads it from the call's initiator. */
export const project = reference("The project's uuid.");

const pageLimit = { default: 50, max: 200 } as const;
const cursorLengthMax = 100;

/** Arguments of every list: `limit` in items, with its default, and `cursor`, the `next_cursor` of the previous page. */
export const page = {
  limit: withDefault(integer({ description: "Items on a page.", min: 1, max: pageLimit.max }), pageLimit.default),
  cursor: optional(string({ description: "The next_cursor of the page before.", lengthMax: cursorLengthMax })),
};
