import { isDeepStrictEqual } from "node:util";
import { type Static, type TObject, type TOptional, type TSchema, Type } from "typebox";
import { reference } from "./arguments.ts";
import { object, optional } from "./schemas.ts";

type Row = Readonly<Record<string, unknown>>;

/** One field of a resource: its schema, its column, and where it may be given and is shown. */
export interface Field<Schema extends TSchema = TSchema, Create = unknown, Update = unknown, Shown = unknown> {
  readonly schema: Schema;
  /** The property of the stored record; the field's name in camel case when absent. */
  readonly column?: string;
  /** Whether it is given at creation: required, optional, or not at all. */
  readonly create: Create;
  readonly update: Update;
  /** Secrets are given and never shown. */
  readonly shown: Shown;
  /** Makes the shown value of the record, where it is not the column's value as it is. */
  show?(row: never): unknown;
  /** The schema of the shown value, where it is not that of the given one. */
  readonly shownAs?: TSchema;
  /** Makes the column's value of the given one. */
  store?(value: Static<Schema>): unknown;
}

type FieldOptions<Schema extends TSchema> = Pick<Field<Schema>, "column" | "show" | "shownAs" | "store">;

/** Shown, and never given: ids, times, and what the service derives. */
export function shown<Schema extends TSchema>(schema: Schema, options: FieldOptions<Schema> = {}) {
  return { schema, ...options, create: "absent", update: false, shown: true } as const;
}

/** The project of a row, by uuid. */
export const ofProject = shown(reference("The uuid of its project."), { column: "projectUuid" });

/** Required at creation, changeable later. */
export function writable<Schema extends TSchema>(schema: Schema, options: FieldOptions<Schema> = {}) {
  return { schema, ...options, create: "required", update: true, shown: true } as const;
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

/** Given at creation or changed, and never shown. */
export function secret<Schema extends TSchema>(schema: Schema, options: FieldOptions<Schema> = {}) {
  return { schema: writeOnly(schema), ...options, create: "optional", update: true, shown: false } as const;
}

/** JSON Schema's word for a value that is never shown: clients read it from elsewhere than a command line. */
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

/** The columns of what is given, of fields whose column has their name and their value; a service names the others beside it. */
export type Columns<F extends Fields> = {
  readonly [Name in keyof F as F[Name]["create"] extends "absent" ? never : CamelCase<Name>]: Static<F[Name]["schema"]>;
};

/** One kind of record, described once. */
export interface Resource<F extends Fields> {
  readonly fields: F;
  /** The arguments of its creation. */
  readonly createInput: CreateShape<F>;
  /** The arguments of its change: each optional, absent ones stay. */
  readonly updateInput: UpdateShape<F>;
  /** The JSON Schema of the resource as it is shown. */
  readonly shape: TObject;
  /** A stored record as the contract shows it: dates as ISO text, absent values as null. */
  readonly encode: (row: object) => Row;
  /** The columns of what is given; fields of other names are left out. */
  readonly toColumns: (given: object) => Record<string, unknown>;
  /** The columns of a new record: those of what is given, and null where a field that takes null is absent. */
  readonly toNewColumns: (given: object) => Record<string, unknown>;
  /** The names of the given fields that differ from the stored record. */
  readonly changedFields: (row: object, given: object) => string[];
}

/** Makes the arguments, the schema, the columns and the encoder of a record from the one table of its fields. */
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
    updateInput: inputs(({ schema, update }) =>
      update === true ? optional(withoutDefault(schema)) : undefined,
    ) as UpdateShape<F>,
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
        return isSameJson(field.store === undefined ? value : field.store(value), (row as Row)[column]) ? [] : [name];
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

/** Compares what would be stored: absent members count as undefined ones, and a JSON column keeps no order of members. */
function isSameJson(one: unknown, other: unknown): boolean {
  const normalise = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));
  return isDeepStrictEqual(normalise(one), normalise(other));
}

function toShown(field: Field, row: Row, column: string): unknown {
  const value = field.show === undefined ? row[column] : field.show(row as never);
  if (value instanceof Date) return value.toISOString();
  return value ?? null;
}

/** The schema of a member that is there, whether or not it may be left out where it is given: a copy loses the mark. */
function present(schema: TSchema): TSchema {
  return { ...schema };
}

/** A change leaves what it does not name; a default would overwrite it. */
function withoutDefault(schema: TSchema): TSchema {
  const { default: _, ...rest } = schema as TSchema & { readonly default?: unknown };
  return Type.Unsafe(rest);
}

function toCamelCase(name: string): string {
  return name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
