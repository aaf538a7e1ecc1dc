/** Makes values that a JSON Schema may admit, and values close to them that it may not; the same ones for the same seed. */
export function createSamples(seed: number): (schema: SampledSchema) => unknown {
  const random = createRandom(seed);
  const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T;
  const isOneIn = (count: number) => random() * count < 1;

  const text = ({ maxLength }: SampledSchema): string => {
    const bound = typeof maxLength === "number" && maxLength <= lengthTriedMax ? maxLength : lengthTriedMax;
    return pick([...texts, "x".repeat(bound), "x".repeat(bound + 1)]);
  };
  const number = ({ minimum = -1, maximum = 1_000 }: SampledSchema): number =>
    pick([minimum, maximum, minimum - 1, maximum + 1, minimum + 0.5, 1, 404]);
  const list = ({ items = {}, minItems = 0, maxItems = 3 }: SampledSchema): unknown[] => {
    const longest = maxItems < itemsTriedMax ? maxItems + 1 : minItems + 2;
    const length = minItems + Math.floor(random() * (longest - minItems + 1)) - (isOneIn(8) ? 1 : 0);
    return Array.from({ length: Math.max(0, length) }, () => sample(items));
  };
  const object = ({ properties, required = [], additionalProperties }: SampledSchema): Record<string, unknown> => {
    if (properties === undefined) return pick([{}, { a: 1 }, { a: { b: [null, "c"] } }]);
    const names = Object.keys(properties).filter((name) => !isOneIn(required.includes(name) ? 12 : 2));
    const members = names.map((name): [string, unknown] => [name, sample(properties[name] ?? {})]);
    if (typeof additionalProperties === "object" && isOneIn(3)) members.push(["other", sample(additionalProperties)]);
    if (isOneIn(12)) members.push([pick(["extra", "constructor"]), 1]);
    return Object.fromEntries(members);
  };
  const ofType: Readonly<Record<string, (schema: SampledSchema) => unknown>> = {
    string: text,
    integer: number,
    number,
    boolean: () => isOneIn(2),
    null: () => null,
    array: list,
    object,
  };

  /** Mostly of the schema's form. */
  function sample(schema: SampledSchema): unknown {
    if (isOneIn(20)) return pick(strangers);
    const { oneOf, enum: choices, type } = schema;
    if ("const" in schema) return schema.const;
    if (oneOf !== undefined) return sample(pick(oneOf));
    if (choices !== undefined) return pick([...choices, ...choices, "other"]);
    return ofType[pick([type ?? "string"].flat())]?.(schema);
  }
  return sample;
}

/** A JSON Schema, as far as samples are made of it. */
interface SampledSchema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly SampledSchema[];
  readonly properties?: Readonly<Record<string, SampledSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | SampledSchema;
  readonly items?: SampledSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** Characters and members up to which bounds are tried. */
const lengthTriedMax = 300;
const itemsTriedMax = 20;

const texts = [
  ["a", "ok-1", "A", "a__b", "404", "4xx", "two words", "with\nlines", "*", "email", "E-Mail", "2026-11"],
  ["", " ", "\0", "\ud800", "ü😀", "https://example.com/x", "ftp://example.com", "http://u:p@example.com/#f"],
  ["2027-01-31T12:00:00Z", "2027-02-30T12:00:00Z", "7b0e8d3a-0000-4000-8000-000000000000", "{{ upper }}"],
].flat();
const strangers = ["", "x", 0, 1.5, -1, true, [], {}, ["x"], { a: 1 }];

/** Mulberry32: numbers from 0 to 1, below 1. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
