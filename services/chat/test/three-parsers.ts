/** A JSON value as written: all members of an object in order, also repeated names. */
export type JsonTree =
  | { readonly kind: "value"; readonly value: string | number | boolean | null }
  | { readonly kind: "list"; readonly items: readonly JsonTree[] }
  | { readonly kind: "object"; readonly members: readonly (readonly [string, JsonTree])[] };

const token = /\s*("(?:[^"\\]|\\.)*"|[-+.\w]+|[[\]{},:])/y;

/** Parses valid JSON text, keeping repeated names. */
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

/** Choice of parsers among members of one name; Go matches names in any case. */
export const readers = {
  firstWins: (members: readonly (readonly [string, JsonTree])[]) => new Map(members.toReversed()),
  lastWins: (members: readonly (readonly [string, JsonTree])[]) => new Map(members),
  foldedLastWins: (members: readonly (readonly [string, JsonTree])[]) =>
    new Map(members.map(([name, value]) => [name.toUpperCase().toLowerCase(), value])),
} as const;

/** All strings, numbers and member names that one parser reads; names in lower case. */
export function textsReadBy(reader: keyof typeof readers, tree: JsonTree): string[] {
  if (tree.kind === "value") {
    return typeof tree.value === "string" || typeof tree.value === "number" ? [String(tree.value)] : [];
  }
  if (tree.kind === "list") return tree.items.flatMap((item) => textsReadBy(reader, item));
  const members = [...readers[reader](tree.members)];
  return members.flatMap(([name, value]) => [name.toUpperCase().toLowerCase(), ...textsReadBy(reader, value)]);
}

/** All strings, numbers and names in a text, as written. */
export function leavesOf(tree: JsonTree): string[] {
  if (tree.kind === "value") {
    return typeof tree.value === "string" || typeof tree.value === "number" ? [String(tree.value)] : [];
  }
  if (tree.kind === "list") return tree.items.flatMap(leavesOf);
  return tree.members.flatMap(([name, value]) => [name, ...leavesOf(value)]);
}
