/** Steps of a path: deeper ones are refused when a policy is saved. */
const stepsMax = 20;
/** Values that one text's search may visit: all of a text that is parsed, and as many again for paths with several `..`. */
const visitsMax = 300_000;
/** UTF-16 units that are written of values which are no strings; where one lies in another they add up. */
const writtenMax = 1_048_576;

type Step =
  | { readonly kind: "member"; readonly name: string; readonly isDeep: boolean }
  | { readonly kind: "index"; readonly index: number }
  | { readonly kind: "any"; readonly isDeep: boolean };

/** Names values of a JSON text: `$.customer.id`, `$.items[*].note`, `$..password`, `$['a b'][0]`. */
export type JsonPath = readonly Step[];

const stepForm =
  /(?<deep>\.\.)(?:(?<deepName>[\p{L}_][\p{L}\p{N}_-]*)|(?<deepAny>\*))|\.(?:(?<name>[\p{L}_][\p{L}\p{N}_-]*)|(?<any>\*))|\[(?:(?<index>\d{1,6})|(?<all>\*)|'(?<quoted>[^'\\]{1,200})')\]/uy;

/** Reads the part of JSONPath (RFC 9535) that names values: members, indexes, wildcards and descendants. Undefined for any other text. */
export function parseJsonPath(text: string): JsonPath | undefined {
  if (!text.startsWith("$") || text.length < 2) return undefined;
  const steps: Step[] = [];
  const form = new RegExp(stepForm);
  form.lastIndex = 1;
  while (form.lastIndex < text.length) {
    const groups = form.exec(text)?.groups;
    if (groups === undefined || steps.length === stepsMax) return undefined;
    const { deep, index, any, all, deepAny } = groups;
    const name = groups["deepName"] ?? groups["name"] ?? groups["quoted"];
    const isDeep = deep !== undefined;
    if (name !== undefined) steps.push({ kind: "member", name, isDeep });
    else if (index !== undefined) steps.push({ kind: "index", index: Number(index) });
    else if ((any ?? all ?? deepAny) !== undefined) steps.push({ kind: "any", isDeep });
  }
  return steps;
}

/**
 * The values that a path names in the values of one text: strings as they are, others as their JSON. Undefined where that takes
 * more work than one text may cost: what such a text holds is not known.
 */
export function selectTexts(roots: readonly unknown[], path: JsonPath): readonly string[] | undefined {
  const search = { visitsLeft: visitsMax };
  let values = roots;
  for (const step of path) values = values.flatMap((each) => stepInto(each, step, search));
  return search.visitsLeft > 0 ? write(values) : undefined;
}

function write(values: readonly unknown[]): readonly string[] | undefined {
  const texts: string[] = [];
  let written = 0;
  for (const value of values) {
    const text = typeof value === "string" ? value : tryWrite(value);
    if (text === undefined) return undefined;
    if (typeof value !== "string") written += text.length;
    if (written > writtenMax) return undefined;
    texts.push(text);
  }
  return texts;
}

/** Undefined for what is nested too deep. */
function tryWrite(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (err) {
    if (err instanceof RangeError) return undefined;
    throw err;
  }
}

function stepInto(value: unknown, step: Step, search: { visitsLeft: number }): unknown[] {
  const from = step.kind !== "index" && step.isDeep ? descendants(value, search) : [value];
  return from.flatMap((each) => childrenAt(each, step, search));
}

function childrenAt(value: unknown, step: Step, search: { visitsLeft: number }): unknown[] {
  if (typeof value !== "object" || value === null || search.visitsLeft <= 0) return [];
  if (step.kind === "index") {
    const entry: unknown = Array.isArray(value) ? value[step.index] : undefined;
    return entry === undefined ? [] : [entry];
  }
  if (step.kind === "member") {
    return Object.hasOwn(value, step.name) ? [(value as Readonly<Record<string, unknown>>)[step.name]] : [];
  }
  const children: unknown[] = Object.values(value).slice(0, search.visitsLeft);
  search.visitsLeft -= children.length;
  return children;
}

/** A value and everything in it, without recursion: a text may be nested as deep as it likes. */
function descendants(value: unknown, search: { visitsLeft: number }): unknown[] {
  const found: unknown[] = [value];
  for (let at = 0; at < found.length && search.visitsLeft > 0; at += 1) {
    const each = found[at];
    if (typeof each !== "object" || each === null) continue;
    const children: unknown[] = Object.values(each).slice(0, search.visitsLeft);
    search.visitsLeft -= children.length;
    // Not spread: very many arguments are too many for a call.
    for (const child of children) found.push(child);
  }
  return found;
}
