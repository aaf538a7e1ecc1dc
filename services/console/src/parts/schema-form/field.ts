import type { JsonSchema } from "../../api/json-schema.ts";

/** Props of every kind of field. */
export interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly error: string | undefined;
}

/** The props that Mantine's inputs share. */
export function inputProps({ label, name, schema, isRequired, error }: FieldProps) {
  return { label, name, description: describe(schema), required: isRequired, error };
}

/**
 * A description for people at a form. It is written for callers: the projects that a setting is for are those of the form, a field that
 * holds nothing is empty rather than null, and the browser's own field for a moment needs no pattern.
 */
export function describe({ description, format }: Pick<JsonSchema, "description" | "format">): string | undefined {
  const text = description
    ?.split(/(?=In api_gateway projects)/)[0]
    ?.replace(/^In (?:ai_gateway and ai_wrapper|api_gateway) projects(?:, required)?: /, "")
    .replaceAll(/\bnull\b/g, "empty")
    .replaceAll(/\bNull\b/g, "Empty")
    .replaceAll(/\b(?:where|when) absent\b/gi, "where empty");
  return format === "date-time" ? text?.replace(/, e\.g\. [^;]*/, "").replace(/ RFC 3339.*$/, "") : text;
}
