import { BoundedCache } from "@gatehouse/bounded-cache";
import type { JsonObject } from "@gatehouse/json";
import type { Task } from "@gatehouse/workers";
import { type CompiledSchema, compileWholeSchema, parseText, type SchemaVerdict } from "./compile-schema.ts";
import { schemaBounds } from "./schema-bounds.ts";

/** A check for a worker thread; texts only, which transfer fastest. */
export interface SchemaTaskInput {
  readonly schema: string;
  /** Field named in errors. */
  readonly field: string;
  readonly text: string;
}

/** The verdict, or that the text is not JSON. */
export type SchemaTaskOutput = SchemaVerdict | { readonly kind: "not_json" };

const schemasMax = 32;
const compiled = new BoundedCache<string, CompiledSchema>(schemasMax);

/** Task of a worker thread. Caches compiled schemas. */
export const run: Task<SchemaTaskInput, SchemaTaskOutput> = ({ schema, field, text }) => {
  const { check } = compiledOf(schema, field);
  const parsed = parseText(text);
  return parsed.kind === "parsed" ? check(parsed.value, schemaBounds.workMax) : parsed;
};

function compiledOf(schema: string, field: string): CompiledSchema {
  const known = compiled.get(schema) ?? compileWholeSchema(JSON.parse(schema) as JsonObject, field);
  compiled.set(schema, known);
  return known;
}
