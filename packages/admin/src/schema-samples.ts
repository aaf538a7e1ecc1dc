/** The parts of a JSON Schema that samples are made from. */
export interface SampledSchema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly oneOf?: readonly SampledSchema[];
  readonly properties?: Readonly<Record<string, SampledSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | SampledSchema;
  readonly items?: SampledSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** Whether a part of the sampled schema admits a value. */
export type Fits = (schema: SampledSchema, value: unknown) => boolean;

/** A value with one part replaced. */
export interface Spoiled {
  readonly value: unknown;
  /** Value without the replaced member, where that is null: null counts as absent. */
  readonly withoutNull?: unknown;
}

const texts = [
  [
    "a",
    "ok-1",
    "A",
    "a__b",
    "404",
    "4xx",
    "two words",
    "with\nlines",
    "*",
    "email",
    "E-Mail",
    "2026-11",
    "$.a",
    "a@b.example",
  ],
  [
    "",
    " ",
    "\0",
    "\ud800",
    "ü😀",
    "https://example.com/x",
    "ftp://example.com",
    "http://u:p@example.com/#f",
    "192.0.2.0/24",
  ],
  [
    "2027-01-31T12:00:00Z",
    "2027-02-30T12:00:00Z",
    "7b0e8d3a-0000-4000-8000-000000000000",
    "{{ upper }}",
    "example.com",
  ],
  [`age1${"q".repeat(58)}`],
].flat();
const foreign: readonly unknown[] = ["", "x", 0, 1.5, -1, true, [], {}, ["x"], { a: 1 }, null];
const freeForms: readonly unknown[] = [{}, { a: 1 }, { a: { b: [null, "c"] } }];

/**
 * Values that a schema admits, which together use each member of each object as far as possible: the first has all members, the
 * others cover members that exclude each other and alternatives.
 */
export function admittedValues(schema: SampledSchema, fits: Fits): readonly unknown[] {
  if (schema.oneOf !== undefined)
    return schema.oneOf.flatMap((kind) => admittedValues(kind, fits)).filter((value) => fits(schema, value));
  if (isRecord(schema)) return admittedRecords(schema, fits);
  if (schema.items !== undefined) return admittedLists(schema, schema.items, fits);
  return scalarsNear(schema)
    .filter((value) => value !== null && fits(schema, value))
    .slice(0, 1);
}

function isRecord({ properties }: SampledSchema): boolean {
  return properties !== undefined && Object.keys(properties).length > 0;
}

function admittedRecords(schema: SampledSchema, fits: Fits): readonly unknown[] {
  const members = Object.entries(schema.properties ?? {}).map(([name, member]) => ({
    name,
    values: admittedValues(member, fits),
  }));
  const found = members.filter(({ values }) => values.length > 0);
  const first = found.map(({ name, values }): Sampled => [name, values[0]]);
  const needed = Object.fromEntries(first.filter(([name]) => schema.required?.includes(name)));
  const isAdmitted = (record: SampledRecord) => fits(schema, record);
  const base = largestRecord(first, needed, isAdmitted);
  const varied = found.flatMap(({ name, values }) =>
    base !== undefined && Object.hasOwn(base, name)
      ? values.slice(1).map((value) => ({ ...base, [name]: value }))
      : values.map((value) => completions({ ...needed, [name]: value }, first).find(isAdmitted)),
  );
  return [base, ...varied].filter((record) => record !== undefined && isAdmitted(record));
}

type SampledRecord = Readonly<Record<string, unknown>>;
/** A member with a value that it admits. */
type Sampled = readonly [name: string, value: unknown];

/** All members; where some exclude each other, as many as go together, the first ones preferred. */
function largestRecord(
  members: readonly Sampled[],
  needed: SampledRecord,
  isAdmitted: (record: SampledRecord) => boolean,
): SampledRecord | undefined {
  const whole = Object.fromEntries(members);
  if (isAdmitted(whole)) return whole;
  const start = completions(needed, members).find(isAdmitted);
  return (
    start &&
    members.reduce((record, [name, value]) => {
      const larger = { ...record, [name]: value };
      return isAdmitted(larger) ? larger : record;
    }, start)
  );
}

/** A record, and the record with one or two more members. */
function completions(record: SampledRecord, members: readonly Sampled[]): readonly SampledRecord[] {
  const withOne = members.map(([name, value]) => ({ [name]: value, ...record }));
  const withTwo = members.flatMap(([name, value], index) =>
    members.slice(index + 1).map(([other, sample]) => ({ [name]: value, [other]: sample, ...record })),
  );
  return [record, ...withOne, ...withTwo];
}

function admittedLists(schema: SampledSchema, items: SampledSchema, fits: Fits): readonly unknown[] {
  const values = admittedValues(items, fits);
  const lengths = [Math.max(1, schema.minItems ?? 0), 0];
  return [
    ...values.flatMap((value) => lengths.slice(0, 1).map((length) => Array.from({ length }, () => value))),
    [],
  ].filter((value) => fits(schema, value));
}

/** Values close to an admitted one: one part at a time is replaced, removed or added. */
export function* spoil(schema: SampledSchema, value: unknown): Generator<Spoiled> {
  for (const other of [...scalarsNear(schema), ...foreign]) yield { value: other };
  const kind = schema.oneOf === undefined ? schema : kindOf(schema.oneOf, value);
  if (Array.isArray(value)) yield* spoilList(kind, value);
  else if (typeof value === "object" && value !== null)
    yield* spoilRecord(kind, value as Readonly<Record<string, unknown>>);
}

function* spoilRecord(schema: SampledSchema, record: Readonly<Record<string, unknown>>): Generator<Spoiled> {
  for (const [name, member] of Object.entries(record)) {
    const { [name]: _, ...rest } = record;
    yield { value: rest };
    for (const { value, withoutNull } of spoil(schema.properties?.[name] ?? anyOther(schema), member)) {
      yield {
        value: { ...record, [name]: value },
        ...(value === null
          ? { withoutNull: rest }
          : withoutNull === undefined
            ? {}
            : { withoutNull: { ...record, [name]: withoutNull } }),
      };
    }
  }
  for (const name of ["extra", "constructor"]) yield { value: { ...record, [name]: 1 } };
}

function* spoilList(schema: SampledSchema, list: readonly unknown[]): Generator<Spoiled> {
  const { items = {}, minItems = 0, maxItems } = schema;
  const [first, ...rest] = list;
  if (list.length > 0) {
    for (const { value, withoutNull } of spoil(items, first)) {
      yield { value: [value, ...rest], ...(withoutNull === undefined ? {} : { withoutNull: [withoutNull, ...rest] }) };
    }
  }
  const lengths = [
    minItems - 1,
    minItems,
    ...(maxItems === undefined ? [] : [Math.ceil(maxItems / 2) + 1, maxItems, maxItems + 1]),
  ];
  for (const length of lengths.filter((each) => each >= 0)) yield { value: Array.from({ length }, () => first) };
}

function kindOf(kinds: readonly SampledSchema[], value: unknown): SampledSchema {
  const { type } = (value ?? {}) as { readonly type?: unknown };
  return kinds.find(({ properties }) => properties?.["type"]?.const === type) ?? {};
}

function anyOther({ additionalProperties }: SampledSchema): SampledSchema {
  return typeof additionalProperties === "object" ? additionalProperties : {};
}

/** Values on both sides of each bound of a schema, and typical values of its types. */
function scalarsNear(schema: SampledSchema): readonly unknown[] {
  const { type = "string", enum: choices, examples = [], minimum = -1, maximum = 1_000 } = schema;
  if ("const" in schema) return [schema.const, "other"];
  if (choices !== undefined) return [...choices, "other"];
  const numbers = [
    1,
    minimum,
    maximum,
    Math.ceil((minimum + maximum) / 2) + 1,
    minimum - 1,
    maximum + 1,
    minimum + 0.5,
    404,
  ];
  const byType: Readonly<Record<string, readonly unknown[]>> = {
    string: textsNear(schema),
    integer: numbers,
    number: numbers,
    boolean: [true, false],
    null: [null],
    object: freeForms,
    array: [],
  };
  return [...examples, ...[type].flat().flatMap((each) => byType[each] ?? [])];
}

/** Texts of many forms; ordinary ones also at the longest length, half of it, and one beyond. */
function textsNear({ minLength = 0, maxLength, examples = [] }: SampledSchema): readonly unknown[] {
  const given = [...examples.filter((example) => typeof example === "string"), ...texts];
  if (maxLength === undefined) return given;
  const lengths = [minLength - 1, minLength, Math.ceil(maxLength / 2) + 1, maxLength, maxLength + 1].filter(
    (each) => each >= 0,
  );
  const stretched = [...given.slice(0, 2), "https://example.com/x"].flatMap((text) =>
    lengths.map((length) => text.slice(0, length).padEnd(length, "1")),
  );
  return [...given, ...stretched];
}
