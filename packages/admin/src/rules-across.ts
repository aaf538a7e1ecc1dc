import type { TObject } from "typebox";
import { refined } from "./schemas.ts";

/**
 * Rules across the arguments of one call, which the operation's description states. JSON Schema expresses them beside `properties`
 * (`oneOf`, `anyOf`, `not`), which APIs of models refuse in the schema of a tool.
 */

type Name<Schema extends TObject> = Extract<keyof Schema["properties"], string>;

/** Exactly one of two arguments is to be sent. */
export function exactlyOneOf<Schema extends TObject>(schema: Schema, one: Name<Schema>, other: Name<Schema>): Schema {
  return refined(atLeastOneOf(schema, one, other), (given) =>
    isSent(given, one) && isSent(given, other) ? `Send either ${one} or ${other}, not both.` : undefined,
  );
}

/** One of two arguments, or both, are to be sent. */
export function atLeastOneOf<Schema extends TObject>(schema: Schema, one: Name<Schema>, other: Name<Schema>): Schema {
  return refined(schema, (given) =>
    isSent(given, one) || isSent(given, other) ? undefined : `Missing required argument: ${one} or ${other}`,
  );
}

function isSent(given: unknown, name: string): boolean {
  return (given as Readonly<Record<string, unknown>>)[name] !== undefined;
}
