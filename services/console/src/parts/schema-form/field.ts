import { isNullable, type JsonSchema } from "../../api/json-schema.ts";
import { placedRefusal } from "./refusal.ts";

/** Props of every kind of field in a form of a JSON Schema. An undefined value is absent from the arguments. */
export interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly error: string | undefined;
  /** Path from the value to the part that the error concerns; empty or absent: the whole value. */
  readonly errorPath?: readonly string[] | undefined;
}

/** The props that Mantine's inputs share. */
export function inputProps({ label, name, schema, isRequired, ...refusal }: FieldProps) {
  return { label, name, description: describe(schema), required: isRequired, error: placedRefusal(refusal) };
}

/**
 * Adapts a description, which addresses callers, to a form: an unset field is empty rather than null, and the native date field
 * needs no pattern.
 */
export function describe({ description, format }: Pick<JsonSchema, "description" | "format">): string | undefined {
  const text = description
    ?.replaceAll(/\bnull or absent\b/gi, "null")
    .replaceAll(/\babsent is\b/g, "empty is")
    .replaceAll(/\bnull\b/g, "empty")
    .replaceAll(/\bNull\b/g, "Empty")
    .replaceAll(/\b(?:where|when) absent\b/gi, "where empty");
  return format === "date-time" ? text?.replace(/, e\.g\. [^;]*/, "").replace(/ RFC 3339.*$/, "") : text;
}

/** Value of an empty field: null where the schema permits it, else absent. */
export function noneOf(schema: JsonSchema): null | undefined {
  return isNullable(schema) ? null : undefined;
}

/** An empty list that may not be empty counts as unset: null where the schema permits it, absent where optional. */
export function listOrNone(
  list: readonly unknown[],
  { schema, isRequired }: Pick<FieldProps, "schema" | "isRequired">,
): readonly unknown[] | null | undefined {
  if (list.length > 0 || isRequired) return list;
  if (isNullable(schema)) return null;
  return (schema.minItems ?? 0) > 0 ? undefined : list;
}
