import { isNullable, type JsonSchema } from "../../api/json-schema.ts";
import { placedRefusal } from "./refusal.ts";

/** Props of every kind of field. */
export interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly error: string | undefined;
  /** The way from the value to the part of it that the error is about; empty or absent where that is the whole. */
  readonly errorPath?: readonly string[] | undefined;
}

/** The props that Mantine's inputs share. */
export function inputProps({ label, name, schema, isRequired, ...refusal }: FieldProps) {
  return { label, name, description: describe(schema), required: isRequired, error: placedRefusal(refusal) };
}

/**
 * A description for people at a form. It is written for callers: a field that holds nothing is empty rather than null, and the
 * browser's own field for a moment needs no pattern.
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

/** The value of a field that holds nothing: null where the schema has it, absent where not. */
export function noneOf(schema: JsonSchema): null | undefined {
  return isNullable(schema) ? null : undefined;
}

/** A list that may not be empty is none where it has no entries: null where the schema has it, absent where it may be. */
export function listOrNone(
  list: readonly unknown[],
  { schema, isRequired }: Pick<FieldProps, "schema" | "isRequired">,
): readonly unknown[] | null | undefined {
  if (list.length > 0 || isRequired) return list;
  if (isNullable(schema)) return null;
  return (schema.minItems ?? 0) > 0 ? undefined : list;
}
