import { checkKeys } from "./check-keys.ts";
import { type JsonBounds, jsonBounds } from "./json-bounds.ts";
import { JsonRefusal } from "./json-refusal.ts";
import { countMembers } from "./scan-json.ts";

/**
 * Which keys one object may have: `distinct` refuses the same key twice, `unambiguous` also keys that differ in case only, `any`
 * keeps the last of equal keys, as JSON.parse does.
 */
export type KeyRule = "any" | "distinct" | "unambiguous";

export interface ParseJsonOptions {
  readonly bounds?: JsonBounds;
  readonly keys?: KeyRule;
}

/**
 * Parses JSON text from outside in linear time: bounds are checked before a value is built, keys right after. The defaults are
 * {@link jsonBounds} and `unambiguous`.
 * @throws JsonRefusal saying what is wrong, in words that are safe for the text's sender.
 */
export function parseJson(text: string, options: ParseJsonOptions = {}): unknown {
  const { bounds = jsonBounds, keys = "unambiguous" } = options;
  const members = countMembers(text, bounds);
  const value = parse(text);
  if (keys !== "any") checkKeys(value, members, keys === "unambiguous");
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new JsonRefusal("malformed", `is not valid JSON${positionOf(cause)}.`, { cause });
  }
}

/** V8's message may quote the text; only the position is taken from it. */
function positionOf(err: unknown): string {
  const [, position] = /at position (\d+)/.exec(err instanceof Error ? err.message : "") ?? [];
  return position === undefined ? "" : ` (at character ${position})`;
}
