/** The part of JSON Schema that the Control Plane's schemas use. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly enum?: readonly (string | null)[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly oneOf?: readonly JsonSchema[];
  /** Console only: labels of the choices of `enum`. */
  readonly choiceLabels?: Readonly<Record<string, string>>;
  /** Console only: choices of a sibling member for which this one applies. */
  readonly onlyFor?: readonly string[];
  /** Console only: a time that must be in the future. */
  readonly isFuture?: true;
  /** Console only: placeholder of an empty field; "none" if absent. */
  readonly emptyWord?: string;
  /** Console only: decimals of a number. */
  readonly decimalsMax?: number;
}

/** Permitted types of a value; empty: any. */
export function typesOf({ type }: JsonSchema): readonly string[] {
  if (type === undefined) return [];
  return typeof type === "string" ? [type] : type;
}

/** Whether null stands for "none". */
export function isNullable(schema: JsonSchema): boolean {
  return typesOf(schema).includes("null") || schema.enum?.includes(null) === true;
}
