import { isDeepStrictEqual } from "node:util";

/** The part of a tool that clients depend on; descriptions may change. */
export interface ListedTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: Schema;
}

/** The part of JSON Schema that operations use. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly Schema[];
  readonly [keyword: string]: unknown;
}

/** Describes every change after which an earlier valid call may be refused. */
export function findBreaks(before: readonly ListedTool[], after: readonly ListedTool[]): string[] {
  const present = new Map(after.map((tool) => [tool.name, tool]));
  return before.flatMap(({ name, inputSchema }) => {
    const tool = present.get(name);
    return tool === undefined ? [`${name} is removed`] : compare(name, inputSchema, tool.inputSchema);
  });
}

function compare(at: string, before: Schema, after: Schema): string[] {
  return [
    ...compareTypes(at, before, after),
    ...compareMembers(at, before, after),
    ...compareBounds(at, before, after),
    ...compareAlternatives(at, before, after),
    ...(before.items === undefined || after.items === undefined ? [] : compare(`${at}[]`, before.items, after.items)),
  ];
}

function compareTypes(at: string, before: Schema, after: Schema): string[] {
  const taken = typesOf(after);
  if (taken.length === 0) return [];
  const given = typesOf(before);
  if (given.length === 0) return [`${at} takes ${taken.join(" or ")} alone`];
  const lost = given.filter((type) => !taken.includes(type) && !(type === "integer" && taken.includes("number")));
  return lost.length === 0 ? [] : [`${at} takes no ${lost.join(" and no ")} any more`];
}

function typesOf({ type }: Schema): readonly string[] {
  return type === undefined ? [] : [type].flat();
}

function compareMembers(at: string, before: Schema, after: Schema): string[] {
  const { properties: had = {}, required: needed = [] } = before;
  const { properties: has = {}, required: needs = [] } = after;
  const changes = Object.entries(had).flatMap(([name, schema]) => {
    const member = has[name] ?? openMember(after);
    return member === undefined ? [`${at}.${name} is removed`] : compare(`${at}.${name}`, schema, member);
  });
  const demands = needs.filter((name) => !needed.includes(name)).map((name) => `${at}.${name} is required`);
  const isClosed = after.additionalProperties === false && before.additionalProperties !== false;
  return [...changes, ...demands, ...(isClosed ? [`${at} takes no other members any more`] : [])];
}

function openMember({ additionalProperties }: Schema): Schema | undefined {
  if (additionalProperties === false) return undefined;
  return typeof additionalProperties === "object" ? additionalProperties : {};
}

const lowerBounds = ["minimum", "minLength", "minItems"];
const upperBounds = ["maximum", "maxLength", "maxItems"];

function compareBounds(at: string, before: Schema, after: Schema): string[] {
  const number = (schema: Schema, bound: string, fallback: number) => {
    const value = schema[bound];
    return typeof value === "number" ? value : fallback;
  };
  const { NEGATIVE_INFINITY: least, POSITIVE_INFINITY: most } = Number;
  const narrowed = [
    ...lowerBounds.filter((bound) => number(after, bound, least) > number(before, bound, least)),
    ...upperBounds.filter((bound) => number(after, bound, most) < number(before, bound, most)),
    // Patterns are not comparable, so any change counts.
    ...["pattern", "not", "const"].filter(
      (keyword) => after[keyword] !== undefined && !isDeepStrictEqual(after[keyword], before[keyword]),
    ),
  ];
  return narrowed.map((keyword) => `${at} is narrower: ${keyword} is ${JSON.stringify(after[keyword])}`);
}

function compareAlternatives(at: string, before: Schema, after: Schema): string[] {
  const isTaken = (choice: unknown) => after.enum?.some((taken) => isDeepStrictEqual(taken, choice)) ?? true;
  const lost = (before.enum ?? []).filter((choice) => !isTaken(choice));
  const isNew = before.enum === undefined && after.enum !== undefined;
  const choices = [
    ...lost.map((choice) => `${at} takes no ${JSON.stringify(choice)} any more`),
    ...(isNew ? [`${at} takes a closed list alone`] : []),
  ];
  if (before.oneOf === undefined || after.oneOf === undefined) return choices;
  const { oneOf } = after;
  const kinds = before.oneOf.flatMap((kind) => {
    const twin = oneOf.find((each) => isDeepStrictEqual(kindOf(each), kindOf(kind)));
    const name = `${at}(${String(kindOf(kind))})`;
    return twin === undefined ? [`${name} is removed`] : compare(name, kind, twin);
  });
  return [...choices, ...kinds];
}

/** Alternatives are distinguished by `type`. */
function kindOf({ properties }: Schema): unknown {
  return properties?.["type"]?.["const"];
}
