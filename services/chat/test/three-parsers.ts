/** A JSON value as its text has it: every member of an object, in order, also those of the same name. */
export type JsonTree =
  | { readonly kind: "value"; readonly value: string | number | boolean | null }
  | { readonly kind: "list"; readonly items: readonly JsonTree[] }
  | { readonly kind: "object"; readonly members: readonly (readonly [string, JsonTree])[] };

const token = /\s*("(?:[^"\\]|\\.)*"|[-+.\w]+|[[\]{},:])/y;

/** Reads valid JSON text without deciding which of several equal names counts. */
export function parseTree(text: string): JsonTree {
  token.lastIndex = 0;
  const next = (): string => {
    const found = token.exec(text)?.[1];
    if (found === undefined) throw new Error("Not JSON.");
    return found;
  };
  const valueOf = (first: string): JsonTree => {
    if (first === "[") return listOf();
    if (first === "{") return objectOf();
    return { kind: "value", value: JSON.parse(first) as string };
  };
  const listOf = (): JsonTree => {
    const items: JsonTree[] = [];
    for (let found = next(); found !== "]"; found = next()) if (found !== ",") items.push(valueOf(found));
    return { kind: "list", items };
  };
  const objectOf = (): JsonTree => {
    const members: [string, JsonTree][] = [];
    for (let found = next(); found !== "}"; found = next()) {
      if (found === ",") continue;
      next();
      members.push([JSON.parse(found) as string, valueOf(next())]);
    }
    return { kind: "object", members };
  };
  return valueOf(next());
}

/** Choice of parsers among members of one name; Go takes names of any case. */
export const readers = {
  firstWins: (members: readonly (readonly [string, JsonTree])[]) => new Map(members.toReversed()),
  lastWins: (members: readonly (readonly [string, JsonTree])[]) => new Map(members),
  foldedLastWins: (members: readonly (readonly [string, JsonTree])[]) =>
    new Map(members.map(([name, value]) => [name.toUpperCase().toLowerCase(), value])),
} as const;

/** Every string and number, and the name of every member, as one parser reads them; names without their case. */
export function textsReadBy(reader: keyof typeof readers, tree: JsonTree): string[] {
  if (tree.kind === "value") {
    return typeof tree.value === "string" || typeof tree.value === "number" ? [String(tree.value)] : [];
  }
  if (tree.kind === "list") return tree.items.flatMap((item) => textsReadBy(reader, item));
  const members = [...readers[reader](tree.members)];
  return members.flatMap(([name, value]) => [name.toUpperCase().toLowerCase(), ...textsReadBy(reader, value)]);
}

/** Every string, number and name that is in a text at all, as it is written. */
export function leavesOf(tree: JsonTree): string[] {
  if (tree.kind === "value") {
    return typeof tree.value === "string" || typeof tree.value === "number" ? [String(tree.value)] : [];
  }
  if (tree.kind === "list") return tree.items.flatMap(leavesOf);
  return tree.members.flatMap(([name, value]) => [name, ...leavesOf(value)]);
}
