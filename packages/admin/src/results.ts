import { type TObject, type TSchema, Type } from "typebox";
import { nullable, record } from "./schemas.ts";

/** Schemas of results: clients' types are made of them. Every member is there, and null where there is nothing, but for {@link maybe}. */

const absentKey = "~absent";

/** An object of which every member is there. */
export function result(members: Readonly<Record<string, TSchema>>, description?: string): TObject {
  const required = Object.entries(members).filter(([, member]) => !Object.hasOwn(member, absentKey));
  return { ...record(members, description), required: required.map(([name]) => name) } as unknown as TObject;
}

/** A member that is left out where there is nothing to say. */
export function maybe<Schema extends TSchema>(schema: Schema): Schema {
  return { ...schema, [absentKey]: true };
}

/** A value, or null. */
export function orNull(schema: TSchema): TSchema {
  return { ...nullable(schema) };
}

/** A list of any length. */
export function many(item: TSchema): TSchema {
  return Type.Array(item);
}

/** Members whose names are data. */
export function byName(value: TSchema): TSchema {
  return Type.Unsafe({ type: "object", additionalProperties: value });
}

/** A value of one of several kinds. */
export function either(...kinds: readonly TSchema[]): TSchema {
  return Type.Unsafe({ oneOf: kinds });
}

/** Any JSON value. */
export const anything: TSchema = Type.Unsafe({});

/** Text, and moments as text. */
export const words: TSchema = Type.String();
/** A boolean of a result. */
export const yesOrNo: TSchema = Type.Boolean();
/** A count, a rate or a sum. */
export const amount: TSchema = Type.Number();
/** An object whose members are another's to describe. */
export const anyRecord = Type.Unsafe({ type: "object" }) as unknown as TObject;
