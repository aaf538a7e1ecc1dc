import { type JsonSchema, typesOf } from "../../api/json-schema.ts";
import { wordOf } from "./word-field.tsx";

/** Control for entering a value. */
export type FieldKind =
  | "choice"
  | "choices"
  | "date"
  | "group"
  | "json"
  | "list"
  | "long-text"
  | "number"
  | "secret"
  | "switch"
  | "tags"
  | "text"
  | "union"
  | "word";

const secretNames = /^(?:api_key|bearer_token|client_secret|password|refresh_token|secret|value)$/;
const longTextFrom = 2_049;

/** Selects the control by schema, and by name for secrets. */
export function fieldKindOf(name: string, schema: JsonSchema): FieldKind {
  const types = typesOf(schema);
  if (schema.oneOf !== undefined) return "union";
  if (schema.enum !== undefined) return "choice";
  if (types.includes("boolean")) return "switch";
  if (types.includes("integer") || types.includes("number")) return "number";
  if (types.includes("array")) return arrayKindOf(schema.items);
  if (types.includes("object") && types.includes("string")) return wordOf(schema) === "" ? "json" : "word";
  if (types.includes("object")) return hasMembers(schema) ? "group" : "json";
  if (types.includes("string")) return textKindOf(name, schema);
  return "json";
}

function arrayKindOf(items: JsonSchema | undefined): FieldKind {
  if (items === undefined) return "json";
  if (items.enum !== undefined) return "choices";
  const types = typesOf(items);
  if (types.includes("string") || types.includes("integer")) return "tags";
  return types.includes("object") && hasMembers(items) ? "list" : "json";
}

/** Whether the members of a record are known, so that each has a field. */
function hasMembers({ properties = {} }: JsonSchema): boolean {
  return Object.keys(properties).length > 0;
}

function textKindOf(name: string, { format, maxLength = 0 }: JsonSchema): FieldKind {
  if (secretNames.test(name)) return "secret";
  if (format === "date-time") return "date";
  return format === undefined && maxLength >= longTextFrom ? "long-text" : "text";
}
