import type { JsonBounds } from "./json-bounds.ts";
import { JsonRefusal } from "./json-refusal.ts";

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** How much of everything a text holds. */
interface Structure {
  values: number;
  containers: number;
  members: number;
  depth: number;
  longestKey: number;
  isBalanced: boolean;
}

/**
 * Reads a text's structure in one pass, without building anything, and answers with the number of its members ("key": value).
 * A text that is no JSON is for the parser to refuse: of such a text any count may come back.
 * @throws JsonRefusal `too_deep`, `too_many_values`, `key_too_long`; `malformed` where brackets are left open.
 */
export function countMembers(text: string, bounds: JsonBounds): number {
  const structure = readStructure(text);
  const problem = findProblem(structure, bounds);
  if (problem === undefined) return structure.members;
  // The bound spares the parser a text that is no JSON anyway.
  throw structure.isBalanced ? problem : new JsonRefusal("malformed", "is not valid JSON.");
}

function readStructure(text: string): Structure {
  // Each value but the outermost follows a comma or is the first of its array or object.
  const structure: Structure = { values: 1, containers: 0, members: 0, depth: 0, longestKey: 0, isBalanced: true };
  let depth = 0;
  let stringLength = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case quote: {
        const end = endOfString(text, at);
        stringLength = end - at - 1;
        at = end;
        break;
      }
      case comma:
        structure.values += 1;
        break;
      case colon:
        structure.members += 1;
        if (stringLength > structure.longestKey) structure.longestKey = stringLength;
        break;
      case openBracket:
      case openBrace:
        structure.values += 1;
        structure.containers += 1;
        depth += 1;
        if (depth > structure.depth) structure.depth = depth;
        break;
      case closeBracket:
      case closeBrace:
        depth -= 1;
        break;
      default:
    }
  }
  structure.isBalanced = depth === 0;
  return structure;
}

function findProblem(structure: Structure, bounds: JsonBounds): JsonRefusal | undefined {
  const { depthMax, valuesMax, containersMax = valuesMax, membersMax, keyLengthMax } = bounds;
  if (structure.depth > depthMax) {
    return new JsonRefusal("too_deep", `must not be nested more than ${depthMax} levels deep.`);
  }
  if (structure.values > valuesMax)
    return new JsonRefusal("too_many_values", `must not hold more than ${valuesMax} values.`);
  if (structure.containers > containersMax) {
    return new JsonRefusal("too_many_values", `must not hold more than ${containersMax} arrays and objects.`);
  }
  if (structure.members > membersMax) {
    return new JsonRefusal("too_many_values", `must not hold more than ${membersMax} keys.`);
  }
  if (structure.longestKey > keyLengthMax) {
    return new JsonRefusal("key_too_long", `must not have a key of more than ${keyLengthMax} characters.`);
  }
  return undefined;
}

/** Units of a string that are looked at one by one, before the platform's search takes over. */
const shortStringLength = 24;

/** The place of the quote that closes the string opened at `start`, or the text's end. */
function endOfString(text: string, start: number): number {
  const shortEnd = Math.min(text.length, start + 1 + shortStringLength);
  let at = start + 1;
  for (; at < shortEnd; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === quote) return at;
    if (unit === backslash) at += 1;
  }
  for (at = text.indexOf('"', at); at !== -1; at = text.indexOf('"', at + 1)) {
    if (!isEscaped(text, at)) return at;
  }
  return text.length;
}

/** Whether the quote at `at`, inside a string, has an odd number of backslashes before it. Each run is counted once: it ends at its quote. */
function isEscaped(text: string, at: number): boolean {
  let start = at;
  while (text.charCodeAt(start - 1) === backslash) start -= 1;
  return (at - start) % 2 === 1;
}
