import { type JsonBounds, JsonRefusal, mayBeJson, parseJson } from "@gatehouse/json";

/** UTF-16 units of a text that is parsed for patterns that name a path: as many as a body of the gateway can have. */
const jsonLengthMax = 4_194_304;
/** Levels of JSON texts inside JSON texts that are searched. */
const nestedLevelsMax = 8;
/** Texts inside one text that are tried as JSON. */
const nestedTextsMax = 50_000;

/** The length of a text bounds all else. */
const textBounds: JsonBounds = {
  depthMax: jsonLengthMax,
  valuesMax: jsonLengthMax,
  membersMax: jsonLengthMax,
  keyLengthMax: jsonLengthMax,
};

/**
 * A parsed text: its JSON value, followed by those of the JSON texts inside it; `unsearchable` beyond a bound, or where an object has
 * a key twice, of which parsers take either; undefined where it is no JSON.
 */
export type ParsedText = readonly unknown[] | "unsearchable" | undefined;

/** Parses a text that may be JSON, and the strings in it that are JSON texts, such as arguments that were encoded twice. */
export function parseJsonTexts(text: string): ParsedText {
  if (!mayBeJson(text)) return undefined;
  if (text.length > jsonLengthMax) return "unsearchable";
  const values: unknown[] = [];
  let texts: readonly string[] = [text];
  let tried = 0;
  for (let level = 0; texts.length > 0; level += 1) {
    if (level > nestedLevelsMax || tried > nestedTextsMax) return "unsearchable";
    const parsed: unknown[] = [];
    for (const each of texts) {
      const found = parse(each);
      if (found === "unsearchable") return found;
      parsed.push(...found);
    }
    for (const value of parsed) values.push(value);
    texts = textsIn(parsed);
    tried += texts.length;
  }
  return values.length === 0 ? undefined : values;
}

/** One value, or none where the text is no JSON. */
function parse(text: string): readonly unknown[] | "unsearchable" {
  try {
    return [parseJson(text.trimStart(), { bounds: textBounds, keys: "distinct" })];
  } catch (err) {
    if (!(err instanceof JsonRefusal)) throw err;
    return err.kind === "ambiguous_key" ? "unsearchable" : [];
  }
}

/** Strings in the values that may be JSON. Without recursion: a text may be nested as deep as it likes. */
function textsIn(values: readonly unknown[]): readonly string[] {
  const texts: string[] = [];
  const pending = [...values];
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (typeof value === "string" && mayBeJson(value)) texts.push(value);
    if (typeof value !== "object" || value === null) continue;
    // Not spread: very many arguments are too many for a call.
    for (const child of Object.values(value)) pending.push(child);
  }
  return texts;
}
