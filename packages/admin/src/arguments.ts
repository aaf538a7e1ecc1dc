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

/** Kinds of arguments that several operations take, made of the schemas of `schemas.ts`. */

/** Text that names something which exists or does not; any string will do, since an unknown one is simply not found. */
export function reference(description: string) {
  return Type.String({ description });
}

/** An integer id that exists or does not; one beyond all that are given out is simply not found. */
export function id(description: string) {
  return Type.Integer({ description });
}

/** One number, which may be written as text. */
export function numberOrString(description: string, choice: number) {
  return Type.Unsafe<number | string>({ type: ["integer", "string"], description, enum: [choice, String(choice)] });
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
  return withMessages({ ...schema, not }, { not: (data) => problem(first(data)) });
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
  const propertyNames = withMessages({ not: { enum: [...excluded] } }, { not: (name) => problem(String(name)) });
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

/** Characters of the longest URL that an argument may be; the egress guard opens no longer one. */
export const urlLengthMax = 2_048;

/** The rule of {@link httpUrl}, in words that follow a field's name. */
export const httpUrlRule = "must be an http or https URL";

/** An http or https URL. Where it may lead is for the egress guard to say. */
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

/** The rule of {@link httpUrlWithoutFragment}, in words that follow a field's name. */
export const urlWithoutFragment = `${httpUrlRule} without a fragment`;

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

/** One word, or a record; a client's own check reads both from one schema. */
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

/** The argument of operations on a project's resources. The Control Plane resolves it; the owner finds it in the call's initiator. */
export const project = reference("The project's uuid.");

const pageLimit = { default: 50, max: 200 } as const;
const cursorLengthMax = 100;

/** The arguments of every list. */
export const page = {
  limit: withDefault(integer({ description: "Items on a page.", min: 1, max: pageLimit.max }), pageLimit.default),
  cursor: optional(string({ description: "The next_cursor of the page before.", lengthMax: cursorLengthMax })),
};
