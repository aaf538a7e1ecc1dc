import type { JsonBounds } from "./json-bounds.ts";
import { holdsTooMany, JsonRefusal, nestedTooDeep } from "./json-refusal.ts";
import { type Structure, StructureReader } from "./structure-reader.ts";

/**
 * Counts the members ("key": value) of a text in one pass, without building values. For a text that is not JSON, which the parser
 * refuses, the count is meaningless.
 * @throws JsonRefusal `too_deep`, `too_many_values`, `key_too_long`; `malformed` for open brackets.
 */
export function countMembers(text: string, bounds: JsonBounds): number {
  const reader = new StructureReader(text, bounds.depthMax);
  reader.read(text.length);
  checkStructure(reader.structure, bounds);
  return reader.structure.members;
}

/** @throws JsonRefusal as {@link countMembers} */
export function checkStructure(structure: Structure, bounds: JsonBounds): void {
  const problem = findProblem(structure, bounds);
  if (problem === undefined) return;
  // A text that is not JSON is refused as malformed rather than for its size.
  throw structure.isBalanced ? problem : new JsonRefusal("malformed", "is not valid JSON.");
}

/** Whether the text exceeds the bounds already, whatever follows. */
export function isOverBounds(structure: Structure, bounds: JsonBounds): boolean {
  return findProblem(structure, bounds) !== undefined;
}

function findProblem(structure: Structure, bounds: JsonBounds): JsonRefusal | undefined {
  const { depthMax, valuesMax, containersMax = valuesMax, membersMax, keyLengthMax } = bounds;
  const { objectMembersMax = membersMax } = bounds;
  if (structure.depth > depthMax) {
    return nestedTooDeep(depthMax);
  }
  if (structure.values > valuesMax) return holdsTooMany(valuesMax, "values");
  if (structure.containers > containersMax) {
    return holdsTooMany(containersMax, "arrays and objects");
  }
  if (structure.members > membersMax) {
    return holdsTooMany(membersMax, "keys");
  }
  if (structure.objectMembers > objectMembersMax) {
    return holdsTooMany(objectMembersMax, "keys in one object");
  }
  if (structure.longestKey > keyLengthMax) {
    return new JsonRefusal("key_too_long", `must not have a key of more than ${keyLengthMax} characters.`);
  }
  return undefined;
}
