import { nearestName } from "@gatehouse/admin";
import { GatewayError } from "@gatehouse/errors";
import { excerpt, isJsonObject, type JsonObject } from "@gatehouse/json-rpc";

/**
 * One argument of an operation: its JSON Schema, as `tools/list` shows it, and the reader that enforces it. What a reader
 * throws is a GatewayError `invalid_argument` that names the field.
 */
export interface Argument<T> {
  readonly schema: JsonObject;
  readonly required: boolean;
  /** `value` is undefined where the caller sent nothing. */
  readonly read: (value: unknown, field: string) => T;
}

/** Arguments by name, in the order in which they are checked and shown. */
export type ArgumentShape = Readonly<Record<string, Argument<unknown>>>;

export type ArgumentsOf<Shape extends ArgumentShape> = {
  readonly [Name in keyof Shape]: Shape[Name] extends Argument<infer T> ? T : never;
};

const quotedLengthMax = 200;

/**
 * Reads a call's arguments in the shape's order; the first problem is thrown. `null` counts as absent, except where an argument
 * gives it a meaning.
 */
export function readArguments<Shape extends ArgumentShape>(
  shape: Shape,
  given: JsonObject,
  at = "",
): ArgumentsOf<Shape> {
  const values = Object.entries(shape).map(([name, argument]) => {
    return [name, argument.read(Object.hasOwn(given, name) ? given[name] : undefined, at + name)];
  });
  return Object.fromEntries(values) as ArgumentsOf<Shape>;
}

/** Refuses arguments that the shape does not have: one that is mistyped would otherwise be dropped in silence. */
export function refuseUnknownArguments(shape: ArgumentShape, given: JsonObject, at = ""): void {
  const names = Object.keys(shape);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const nearest = nearestName(unknown, names);
  const hint = nearest === undefined ? "" : `. Did you mean '${nearest}'?`;
  throw new GatewayError("invalid_argument", `Unknown argument: ${quote(at + unknown)}${hint}`);
}

/** The JSON Schema of a whole shape. */
export function toObjectSchema(shape: ArgumentShape): JsonObject {
  const entries = Object.entries(shape);
  const required = entries.filter(([, argument]) => argument.required).map(([name]) => name);
  return {
    type: "object",
    properties: Object.fromEntries(entries.map(([name, argument]) => [name, argument.schema])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

/** The refusal of one field: `<field> <problem>`. */
export function invalid(field: string, problem: string): GatewayError {
  return new GatewayError("invalid_argument", `${field} ${problem}`);
}

/** A caller's value for a message, shortened. */
export function quote(value: unknown): string {
  return excerpt(typeof value === "string" ? value : (JSON.stringify(value) ?? "undefined"), quotedLengthMax);
}

/** A required argument of a kind of its own. */
export function argument<T>(schema: JsonObject, parse: (value: unknown, field: string) => T): Argument<T> {
  return {
    schema,
    required: true,
    read(value, field) {
      if (value === undefined || value === null) {
        throw new GatewayError("invalid_argument", `Missing required argument: ${field}`);
      }
      return parse(value, field);
    },
  };
}

export function optional<T>(inner: Argument<T>): Argument<T | undefined> {
  return {
    schema: inner.schema,
    required: false,
    read: (value, field) => (value === undefined || value === null ? undefined : inner.read(value, field)),
  };
}

export function withDefault<T>(inner: Argument<T>, fallback: T): Argument<T> {
  return {
    schema: { ...inner.schema, default: fallback },
    required: false,
    read: (value, field) => (value === undefined || value === null ? fallback : inner.read(value, field)),
  };
}

/** Optional, and `null` is a value of its own; the schema's description says which. */
export function nullable<T>(inner: Argument<T>): Argument<T | null | undefined> {
  const { type, enum: choices } = inner.schema;
  const schema = { ...inner.schema, type: [...(Array.isArray(type) ? type : [type]), "null"] };
  return {
    schema: Array.isArray(choices) ? { ...schema, enum: [...choices, null] } : schema,
    required: false,
    read: (value, field) => (value === undefined || value === null ? value : inner.read(value, field)),
  };
}

export interface TextOptions {
  readonly description: string;
  readonly lengthMax: number;
  /** Whether line breaks and other control characters may stand in it. NUL never may: Postgres refuses it. */
  readonly multiline?: boolean;
}

export function text({ description, lengthMax, multiline = false }: TextOptions): Argument<string> {
  return argument({ type: "string", description, minLength: 1, maxLength: lengthMax }, (value, field) => {
    if (typeof value !== "string") throw invalid(field, "must be string");
    if (value.trim() === "") throw invalid(field, "must not be empty");
    if (value.length > lengthMax) throw invalid(field, `must have at most ${lengthMax} characters`);
    const forbidden = multiline ? /\0/ : /\p{Cc}/u;
    if (!value.isWellFormed() || forbidden.test(value)) throw invalid(field, "must not have control characters");
    return value;
  });
}

/** Text that names something which exists or does not; any string will do, since an unknown one is simply not found. */
export function reference(description: string): Argument<string> {
  return argument({ type: "string", description }, (value, field) => {
    if (typeof value !== "string") throw invalid(field, "must be string");
    return value;
  });
}

/** An integer id that exists or does not; one beyond what is ever given out is simply not found. */
export function idReference(description: string): Argument<number> {
  return argument({ type: "integer", description }, (value, field) => {
    if (!isInteger(value)) throw invalid(field, "must be integer");
    return value;
  });
}

export interface RangeOptions {
  readonly description: string;
  readonly min: number;
  readonly max: number;
}

export function integer({ description, min, max }: RangeOptions): Argument<number> {
  return argument({ type: "integer", description, minimum: min, maximum: max }, (value, field) => {
    if (!isInteger(value)) throw invalid(field, "must be integer");
    if (value < min || value > max) throw invalid(field, `must be from ${min} to ${max}`);
    return value;
  });
}

export function number({ description, min, max }: RangeOptions): Argument<number> {
  return argument({ type: "number", description, minimum: min, maximum: max }, (value, field) => {
    if (typeof value !== "number") throw invalid(field, "must be number");
    if (!(value >= min && value <= max)) throw invalid(field, `must be from ${min} to ${max}`);
    return value;
  });
}

export function flag(description: string): Argument<boolean> {
  return argument({ type: "boolean", description }, (value, field) => {
    if (typeof value !== "boolean") throw invalid(field, "must be boolean");
    return value;
  });
}

/** One of a closed list. Anything else, of whatever type, is refused as `Invalid <field>: <value>`. */
export function oneOf<const T extends string>(description: string, choices: readonly T[]): Argument<T> {
  return argument({ type: "string", description, enum: choices }, (value, field) => {
    const choice = choices.find((candidate) => candidate === value);
    if (choice === undefined) throw new GatewayError("invalid_argument", `Invalid ${field}: ${quote(value)}`);
    return choice;
  });
}

export interface ListOptions {
  readonly description: string;
  readonly min: number;
  readonly max: number;
}

export function list<T>(item: Argument<T>, { description, min, max }: ListOptions): Argument<readonly T[]> {
  return argument({ type: "array", description, items: item.schema, minItems: min, maxItems: max }, (value, field) => {
    if (!Array.isArray(value)) throw invalid(field, "must be array");
    if (value.length < min || value.length > max) throw invalid(field, `must have from ${min} to ${max} items`);
    return value.map((member: unknown, index) => item.read(member, `${field}[${index}]`));
  });
}

/** An object with members of its own; a problem inside is named by its path, `targets[0].model`. */
export function record<Shape extends ArgumentShape>(shape: Shape): Argument<ArgumentsOf<Shape>> {
  return argument(toObjectSchema(shape), (value, field) => {
    if (!isJsonObject(value)) throw invalid(field, "must be object");
    refuseUnknownArguments(shape, value, `${field}.`);
    return readArguments(shape, value, `${field}.`);
  });
}

function isInteger(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value);
}
