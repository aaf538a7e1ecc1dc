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

/** Prefixes that say for which projects a setting is: a form shows only what fits. */
function describe({ description }: JsonSchema): string | undefined {
  return description
    ?.split(/(?=In api_gateway projects)/)[0]
    ?.replace(/^In (?:ai_gateway and ai_wrapper|api_gateway) projects(?:, required)?: /, "");
}
