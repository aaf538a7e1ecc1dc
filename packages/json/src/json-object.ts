/** An object of parsed JSON. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value of parsed JSON is an object, not a list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
