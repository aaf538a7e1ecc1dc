import type { WireFields } from "./completion.ts";

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;

/**
 * The JSON text of each field of an object, by name, exactly as it stands in `text`, which must be valid JSON of an
 * object. Of a name that stands twice the last counts, as for JSON.parse.
 */
export function splitJsonFields(text: string): WireFields {
  const fields = new Map<string, string>();
  let at = skipSpace(text, text.indexOf("{") + 1);
  while (text.charCodeAt(at) === quote) {
    const nameEnd = endOfString(text, at);
    const start = skipSpace(text, text.indexOf(":", nameEnd) + 1);
    const end = endOfValue(text, start);
    fields.set(JSON.parse(text.slice(at, nameEnd)) as string, text.slice(start, end));
    at = skipSpace(text, end);
    if (text.charCodeAt(at) === comma) at = skipSpace(text, at + 1);
  }
  return fields;
}

function endOfValue(text: string, start: number): number {
  const first = text[start];
  if (first === '"') return endOfString(text, start);
  return first === "{" || first === "[" ? endOfNested(text, start) : endOfScalar(text, start);
}

function endOfNested(text: string, start: number): number {
  const structural = /["{}[\]]/g;
  structural.lastIndex = start;
  let depth = 0;
  for (let match = structural.exec(text); match !== null; match = structural.exec(text)) {
    if (match[0] === '"') structural.lastIndex = endOfString(text, match.index);
    else if (match[0] === "{" || match[0] === "[") depth += 1;
    else depth -= 1;
    if (depth === 0) return match.index + 1;
  }
  return text.length;
}

function endOfScalar(text: string, start: number): number {
  const end = /[\s,}]/g;
  end.lastIndex = start;
  return end.exec(text)?.index ?? text.length;
}

/** The place after the closing quote of the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === backslash) escapes += 1;
    if (escapes % 2 === 0) return at + 1;
  }
  return text.length;
}

function skipSpace(text: string, start: number): number {
  const other = /\S/g;
  other.lastIndex = start;
  return other.exec(text)?.index ?? text.length;
}
