import { isGatewayError } from "@gatehouse/errors";
import { Ajv } from "ajv";
import { alternativeFor, createArgumentsCheck, isOfType, type PlainSchema } from "./check-arguments.ts";
import type { JsonObject, Operation } from "./operation.ts";
import { createSamples } from "./schema-samples.ts";
import { type Refine, refineKey } from "./schemas.ts";

/** An operation, as far as its arguments are judged. */
export type Judged = Pick<Operation, "input" | "inputSchema">;

const samplesMade = 500;

/**
 * Arguments on which an operation's published schema and what is enforced disagree: admitted and refused as malformed, or the
 * other way round. Conditions beyond JSON Schema, which descriptions name, count with the schema.
 * @param seed of the arguments that are tried; the same ones for the same seed
 */
export function findDisagreement({ input, inputSchema }: Judged, seed = 1): JsonObject | undefined {
  const admits = new Ajv({ strict: false, allErrors: false, formats: { uri: true, "date-time": true } }).compile(
    inputSchema,
  );
  const check = createArgumentsCheck(input);
  const isTaken = (given: JsonObject) => {
    try {
      check(given);
      return true;
    } catch (err) {
      if (isGatewayError(err) && err.code === "invalid_argument") return false;
      throw err;
    }
  };
  const sample = createSamples(seed);
  for (let made = 0; made < samplesMade; made += 1) {
    const given = sample(inputSchema);
    if (!isObject(given)) continue;
    if (isTaken(given) !== (admits(given) && conditionsHold(input as unknown as PlainSchema, given))) return given;
  }
  return undefined;
}

/** Whether the conditions that JSON Schema cannot say hold for a value, and for all in it. */
function conditionsHold(schema: PlainSchema, value: unknown): boolean {
  const refine = schema[refineKey] as Refine<unknown> | undefined;
  if (refine !== undefined && isOfType(value, schema.type) && refine(value) !== undefined) return false;
  if (Array.isArray(value)) return value.every((item) => conditionsHold(schema.items ?? {}, item));
  if (!isObject(value)) return true;
  const { properties = {}, additionalProperties } = alternativeFor(value, schema) ?? {};
  const others = typeof additionalProperties === "object" ? (additionalProperties as PlainSchema) : {};
  return Object.entries(value).every(([name, member]) =>
    conditionsHold(Object.hasOwn(properties, name) ? (properties[name] ?? {}) : others, member),
  );
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
