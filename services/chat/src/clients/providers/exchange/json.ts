export type JsonRecord = Readonly<Record<string, unknown>>;

/** The value as an object with string keys, or undefined for everything else (arrays and null included). */
export function asRecord(value: unknown): JsonRecord | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonRecord) : undefined;
}
