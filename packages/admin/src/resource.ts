import { isDeepStrictEqual } from "node:util";
import { type Static, type TObject, type TOptional, type TSchema, Type } from "typebox";
import { reference } from "./arguments.ts";
import { insteadOfNullKey, object, optional } from "./schemas.ts";

type Row = Readonly<Record<string, unknown>>;

/** One field of a resource: its schema, its column, and where it may be given and is shown. */
export interface Field<Schema extends TSchema = TSchema, Create = unknown, Update = unknown, Shown = unknown> {
  readonly schema: Schema;
  /** Property of the stored record; the field's name in camel case when absent. */
  readonly column?: string;
  /** Whether creation takes it: required, optional, or not at all. */
  readonly create: Create;
  readonly update: Update;
  /** False for secrets. */
  readonly shown: Shown;
  /** Computes the shown value from the record; the column's value when absent. */
  show?(row: never): unknown;
  /** Schema of the shown value, where it differs from that of the given one. */
  readonly shownAs?: TSchema;
  /** Value that removes the setting, where null does not; the refusal of null in a change names it. */
  readonly removedBy?: Static<Schema>;
  /**
   * Whether null in a change keeps the setting, as from clients that send null for what they leave out. Otherwise it is refused,
   * unless the schema admits it: it must not pass for a removal.
   */
  readonly isKeptByNull?: boolean;
  store?(value: Static<Schema>): unknown;
}

type FieldOptions<Schema extends TSchema> = Pick<Field<Schema>, "column" | "show" | "shownAs" | "store" | "removedBy">;

/** Shown but never given: ids, times, and derived values. */
export function shown<Schema extends TSchema>(schema: Schema, options: FieldOptions<Schema> = {}) {
  return { schema, ...options, create: "absent", update: false, shown: true } as const;
}

/** The project of a row, by uuid. */
export const ofProject = shown(reference("The uuid of its project."), { column: "projectUuid" });

/** Required at creation, changeable later. */
export function writable<Schema extends TSchema>(schema: Schema, options: FieldOptions<Schema> = {}) {
  return { schema, ...options, create: "required", update: true, shown: true } as const;
}

/** A name or a slug: required at creation, changeable later. Null in a change keeps it, since it cannot be removed. */
export function writableName<Schema extends TSchema>(schema: Schema, options: FieldOptions<Schema> = {}) {
  return { ...writable(schema, options), isKeptByNull: true } as const;
}

/** Optional at creation, changeable later. */
export function writableOptional<Schema extends TSchema>(schema: Schema, options: FieldOptions<Schema> = {}) {
  return { schema, ...options, create: "optional", update: true, shown: true } as const;
}

/** Required at creation; cannot be changed later. */
export function fixed<Schema extends TSchema>(schema: Schema, options: FieldOptions<Schema> = {}) {
  return { schema, ...options, create: "required", update: false, shown: true } as const;
}

/** Required at creation, changeable later, and never shown. */
export function requiredSecret<Schema extends TSchema>(schema: Schema, options: FieldOptions<Schema> = {}) {
  return { schema: writeOnly(schema), ...options, create: "required", update: true, shown: false } as const;
}

/** Optional at creation, changeable later, and never shown. */
export function secret<Schema extends TSchema>(schema: Schema, options: FieldOptions<Schema> = {}) {
  return { schema: writeOnly(schema), ...options, create: "optional", update: true, shown: false } as const;
}

/** Schema of a secret that another operation checks, as a member of a loose object. */
export function secretMember(description: string) {
  return writeOnly(Type.Unsafe<unknown>({ description }));
}

/** Marks a value as never shown (JSON Schema's `writeOnly`): clients do not take it from the command line. */
function writeOnly<Schema extends TSchema>(schema: Schema): Schema {
  return { ...schema, writeOnly: true };
}

type Fields = Readonly<Record<string, Field>>;

type CreateShape<F extends Fields> = {
  [Name in keyof F as F[Name]["create"] extends "absent" ? never : Name]: F[Name]["create"] extends "required"
    ? F[Name]["schema"]
    : TOptional<F[Name]["schema"]>;
};
type UpdateShape<F extends Fields> = {
  [Name in keyof F as F[Name]["update"] extends true ? Name : never]: TOptional<F[Name]["schema"]>;
};

type CamelCase<Name> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<CamelCase<Rest>>}` : Name;

/** Columns of given values, for fields whose column has their name and value; the service adds the others. */
export type Columns<F extends Fields> = {
  readonly [Name in keyof F as F[Name]["create"] extends "absent" ? never : CamelCase<Name>]: Static<F[Name]["schema"]>;
};

/** Schemas of one kind of record for creation, change and result, and the conversions between its fields and its row. */
export interface Resource<F extends Fields> {
  readonly fields: F;
  readonly createInput: CreateShape<F>;
  /** Arguments of its change: all optional; absent ones stay unchanged. */
  readonly updateInput: UpdateShape<F>;
  readonly shape: TObject;
  /** Encodes a stored record: dates as ISO text, absent values as null. */
  readonly encode: (row: object) => Row;
  /** Columns of given values; ignores unknown fields. */
  readonly toColumns: (given: object) => Record<string, unknown>;
  /** Columns of a new record: those of the given values, and null for absent fields that may be null. */
  readonly toNewColumns: (given: object) => Record<string, unknown>;
  /** Names of the given fields that differ from the stored record. */
  readonly changedFields: (row: object, given: object) => string[];
}

/** Derives the arguments, the schema, the columns and the encoder of a record from one table of fields. */
export function defineResource<const F extends Fields>(fields: F): Resource<F> {
  const all = Object.entries(fields).map(([name, field]) => ({
    name,
    field,
    column: field.column ?? toCamelCase(name),
  }));
  const inputs = (use: (field: Field) => TSchema | undefined) =>
    Object.fromEntries(
      all.flatMap(({ name, field }) => {
        const schema = use(field);
        return schema === undefined ? [] : [[name, schema]];
      }),
    );
  const visible = all.filter(({ field }) => field.shown === true);
  const given = all.filter(({ field }) => field.create !== "absent" || field.update === true);
  return {
    fields,
    createInput: inputs(({ schema, create }) => {
      if (create === "absent") return undefined;
      return create === "required" ? schema : optional(schema);
    }) as CreateShape<F>,
    updateInput: inputs((field) => (field.update === true ? optional(toChange(field)) : undefined)) as UpdateShape<F>,
    shape: object(Object.fromEntries(visible.map(({ name, field }) => [name, present(field.shownAs ?? field.schema)]))),
    encode: (row) =>
      Object.fromEntries(visible.map(({ name, field, column }) => [name, toShown(field, row as Row, column)])),
    toColumns: (values) => Object.fromEntries(given.flatMap((each) => toColumn(each, (values as Row)[each.name]))),
    toNewColumns: (values) =>
      Object.fromEntries(
        given.flatMap((each) =>
          toColumn(each, (values as Row)[each.name] ?? (takesNull(each.field) ? null : undefined)),
        ),
      ),
    changedFields: (row, values) =>
      given.flatMap(({ name, field, column }) => {
        const value = (values as Row)[name];
        if (value === undefined) return [];
        return isSameStored(field.store === undefined ? value : field.store(value), (row as Row)[column]) ? [] : [name];
      }),
  };
}

interface NamedField {
  readonly field: Field;
  readonly column: string;
}

function toColumn({ field, column }: NamedField, value: unknown): [string, unknown][] {
  return value === undefined ? [] : [[column, field.store === undefined ? value : field.store(value)]];
}

function takesNull({ schema }: Field): boolean {
  const { type } = schema as TSchema & { readonly type?: unknown };
  return Array.isArray(type) && type.includes("null");
}

/**
 * Whether two stored values are the same setting: absent members equal undefined ones, a JSON column keeps no order of members,
 * and a list of texts is a set, such as scopes, events or names of tools.
 */
export function isSameStored(one: unknown, other: unknown): boolean {
  const normalise = (value: unknown): unknown => toSet(JSON.parse(JSON.stringify(value ?? null)));
  return isDeepStrictEqual(normalise(one), normalise(other));
}

function toSet(value: unknown): unknown {
  if (!Array.isArray(value) || value.some((member) => typeof member !== "string")) return value;
  return [...new Set(value as readonly string[])].toSorted();
}

function toShown(field: Field, row: Row, column: string): unknown {
  const value = field.show === undefined ? row[column] : field.show(row as never);
  if (value instanceof Date) return value.toISOString();
  return value ?? null;
}

/** The schema of a present member: a copy loses the mark for optional ones. */
function present(schema: TSchema): TSchema {
  return { ...schema };
}

/** The field's schema in a change, which keeps what it does not name; a default would overwrite it. */
function toChange(field: Field): TSchema {
  const { default: _, ...rest } = field.schema as TSchema & { readonly default?: unknown };
  return Type.Unsafe(takesNull(field) || field.isKeptByNull === true ? rest : { ...rest, ...refusedNull(field) });
}

function refusedNull({ removedBy }: Field) {
  const removal = removedBy === undefined ? "" : `, or give ${JSON.stringify(removedBy)} to remove it`;
  return { [insteadOfNullKey]: `leave it out to keep it${removal}` };
}

function toCamelCase(name: string): string {
  return name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
