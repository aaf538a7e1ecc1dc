import { type JsonBounds, JsonRefusal, parseJson } from "@gatehouse/json";

export type JsonRecord = Readonly<Record<string, unknown>>;

/** The value as an object with string keys, or undefined for everything else (arrays and null included). */
export function asRecord(value: unknown): JsonRecord | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonRecord) : undefined;
}

/** What a reply may hold: embeddings of 2,048 texts in 3,072 dimensions fit. Depth costs the parser most and no reply needs it. */
const replyBounds: JsonBounds = {
  depthMax: 128,
  valuesMax: 8_000_000,
  containersMax: 200_000,
  membersMax: 400_000,
  keyLengthMax: 64 * 1024,
};

/** JSON of a provider, or made for one, parsed in linear time; undefined where it is none, or holds more than a reply has a use for. */
export function parseReplyJson(text: string): unknown {
  try {
    return parseJson(text, { bounds: replyBounds, keys: "any" });
  } catch (err) {
    if (!(err instanceof JsonRefusal)) throw err;
    return undefined;
  }
}
