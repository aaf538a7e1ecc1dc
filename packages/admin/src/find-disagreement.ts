import { isGatewayError } from "@gatehouse/errors";
import { isJsonObject, type JsonObject } from "@gatehouse/json";
import { Ajv } from "ajv";
import {
  alternativeFor,
  createArgumentsCheck,
  findRefusedNull,
  isOfType,
  type PlainSchema,
} from "./check-arguments.ts";
import type { Operation } from "./operation.ts";
import { admittedValues, type Fits, type SampledSchema, spoil } from "./schema-samples.ts";
import { type Refine, refineKey } from "./schemas.ts";

/** The parts of an operation that decide on its arguments. */
export type Judged = Pick<Operation, "input" | "inputSchema">;

/**
 * Finds arguments that an operation's published schema admits and the enforced one refuses as malformed, or the other way round.
 * Samples arguments that the schema admits, with every member, and then changes them in one place each, on both sides of every
 * bound. Conditions beyond JSON Schema, named in descriptions, count as part of the schema; null counts as absent, except where a
 * change refuses it.
 * @throws Error that names the members without a known admitted value; `examples` in the schema helps.
 */
export function findDisagreement({ input, inputSchema }: Judged): JsonObject | undefined {
  const validate = new Ajv(lenient).compile(inputSchema);
  const admits = (given: unknown) => validate(given) && conditionsHold(input as unknown as PlainSchema, given);
  const isTaken = takenBy(input);
  const admitted = admittedArguments({ input, inputSchema });
  for (const example of admitted) {
    if (!admits(example) || !isTaken(example)) return example as JsonObject;
    for (const { value, withoutNull } of spoil(inputSchema, example)) {
      if (!isJsonObject(value)) continue;
      const isRefused = findRefusedNull(value, input as unknown as PlainSchema) !== undefined;
      const isAdmitted = admits(value) || (!isRefused && withoutNull !== undefined && admits(withoutNull));
      if (isTaken(value) !== isAdmitted) return value;
    }
  }
  return undefined;
}

const lenient = {
  strict: false,
  allErrors: false,
  formats: { uri: true, "date-time": true, hostname: true, uuid: true },
} as const;

/** Arguments that the published schema admits, and that together use all of its members. */
function admittedArguments({ input, inputSchema }: Judged): readonly unknown[] {
  const refinements = refinementsOf(input as unknown as PlainSchema, inputSchema);
  const ajv = new Ajv(lenient);
  const validators = new Map<SampledSchema, (value: unknown) => boolean>();
  const fits: Fits = (schema, value) => {
    const known = validators.get(schema) ?? ajv.compile(schema);
    validators.set(schema, known);
    return known(value) && conditionsHold(refinements.get(schema) ?? {}, value);
  };
  const admitted = admittedValues(inputSchema, fits);
  const missing = membersOf(inputSchema).filter((path) => !admitted.some((value) => hasMember(value, path.split("."))));
  if (admitted.length === 0 || missing.length > 0) {
    throw new Error(`No arguments are known that the schema admits with ${missing.join(", ") || "what it requires"}.`);
  }
  return admitted;
}

/** The enforced schema of each part of a published one; it has the conditions that the published one leaves out. */
function refinementsOf(enforced: PlainSchema, published: SampledSchema): ReadonlyMap<SampledSchema, PlainSchema> {
  const found = new Map<SampledSchema, PlainSchema>();
  const walk = (own: PlainSchema, shown: SampledSchema): void => {
    found.set(shown, own);
    for (const [name, member] of Object.entries(shown.properties ?? {})) walk(own.properties?.[name] ?? {}, member);
    shown.oneOf?.forEach((kind, index) => walk(own.oneOf?.[index] ?? {}, kind));
    if (shown.items !== undefined) walk(own.items ?? {}, shown.items);
  };
  walk(enforced, published);
  return found;
}

/** Dotted paths of all members in a schema; lists add no step. */
function membersOf({ properties = {}, oneOf = [], items }: SampledSchema): readonly string[] {
  const own = Object.entries(properties).flatMap(([name, member]) => [
    name,
    ...membersOf(member).map((path) => `${name}.${path}`),
  ]);
  return [...new Set([...own, ...oneOf.flatMap(membersOf), ...(items === undefined ? [] : membersOf(items))])];
}

function hasMember(value: unknown, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return true;
  if (Array.isArray(value)) return value.some((item) => hasMember(item, [name, ...rest]));
  return isJsonObject(value) && Object.hasOwn(value, name) && hasMember(value[name], rest);
}

function takenBy(input: Judged["input"]): (given: unknown) => boolean {
  const check = createArgumentsCheck(input);
  return (given) => {
    try {
      check(given as JsonObject);
      return true;
    } catch (err) {
      if (isGatewayError(err) && err.code === "invalid_argument") return false;
      throw err;
    }
  };
}

/** Whether a value, and all values in it, meet the conditions that JSON Schema cannot express. */
function conditionsHold(schema: PlainSchema, value: unknown): boolean {
  const refine = schema[refineKey] as Refine<unknown> | undefined;
  if (refine !== undefined && isOfType(value, schema.type) && refine(value) !== undefined) return false;
  if (Array.isArray(value)) return value.every((item) => conditionsHold(schema.items ?? {}, item));
  if (!isJsonObject(value)) return true;
  const { properties = {}, additionalProperties } = alternativeFor(value, schema) ?? {};
  const others = typeof additionalProperties === "object" ? (additionalProperties as PlainSchema) : {};
  return Object.entries(value).every(([name, member]) =>
    conditionsHold(Object.hasOwn(properties, name) ? (properties[name] ?? {}) : others, member),
  );
}
