import { type JsonSchema, typesOf } from "../../api/json-schema.ts";
import { wordOf } from "./word-field.tsx";

/** How a value is entered. */
export type FieldKind =
  | "choice"
  | "choices"
  | "date"
  | "group"
  | "json"
  | "long-text"
  | "number"
  | "secret"
  | "switch"
  | "tags"
  | "text"
  | "union"
  | "word";

const secretNames = /^(?:api_key|bearer_token|client_secret|password|refresh_token|value)$/;
const longTextFrom = 2_049;

/** Chooses by the schema, and by the name where a text is a secret. */
export function fieldKindOf(name: string, schema: JsonSchema): FieldKind {
  const types = typesOf(schema);
  if (schema.oneOf !== undefined) return "union";
  if (schema.enum !== undefined) return "choice";
  if (types.includes("boolean")) return "switch";
  if (types.includes("integer") || types.includes("number")) return "number";
  if (types.includes("array")) return arrayKindOf(schema.items);
  if (types.includes("object") && types.includes("string")) return wordOf(schema) === "" ? "json" : "word";
  if (types.includes("object")) return schema.properties === undefined ? "json" : "group";
  if (types.includes("string")) return textKindOf(name, schema);
  return "json";
}

function arrayKindOf(items: JsonSchema | undefined): FieldKind {
  if (items?.enum !== undefined) return "choices";
  return items !== undefined && typesOf(items).includes("string") ? "tags" : "json";
}

function textKindOf(name: string, { format, maxLength = 0 }: JsonSchema): FieldKind {
  if (secretNames.test(name)) return "secret";
  if (format === "date-time") return "date";
  return format === undefined && maxLength >= longTextFrom ? "long-text" : "text";
}
