import {
  isJsonObject,
  type JsonBounds,
  type JsonObject,
  JsonRefusal,
  parseJson,
  parseJsonInSlices,
} from "@gatehouse/json";
import { isLarge } from "@gatehouse/pace";

/** The value as an object, or undefined for anything else (arrays and null included). */
export function asRecord(value: unknown): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

/**
 * Bounds of a reply: embeddings of 2,048 texts in 3,072 dimensions fit. Depth is the most expensive for the parser, and replies
 * need little.
 */
const replyBounds: JsonBounds = {
  depthMax: 128,
  valuesMax: 8_000_000,
  containersMax: 200_000,
  membersMax: 400_000,
  objectMembersMax: 10_000,
  keyLengthMax: 64 * 1024,
};

const replyOptions = { bounds: replyBounds, keys: "any" } as const;

/**
 * JSON of a provider, or made for one, parsed in linear time; undefined for a text that is not JSON or exceeds the bounds of a
 * reply. Only for short texts; for others: {@link readReplyJson}.
 */
export function parseReplyJson(text: string): unknown {
  try {
    return parseJson(text, replyOptions);
  } catch (err) {
    return noReply(err);
  }
}

/** As {@link parseReplyJson}; parses large texts in slices. */
export async function readReplyJson(text: string): Promise<unknown> {
  if (!isLarge(text.length)) return parseReplyJson(text);
  return await parseJsonInSlices(text, replyOptions).catch(noReply);
}

const byteOrderMark = "\uFEFF";

/** Text of a reply. Some servers begin JSON with a byte order mark, which a parser may ignore (RFC 8259, section 8.1). */
export function toReplyText(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  return text.startsWith(byteOrderMark) ? text.slice(byteOrderMark.length) : text;
}

function noReply(err: unknown): undefined {
  if (!(err instanceof JsonRefusal)) throw err;
}
