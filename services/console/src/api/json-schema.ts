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
  /** The console's: names of the choices of `enum`. */
  readonly choiceLabels?: Readonly<Record<string, string>>;
  /** The console's: choices of a member beside it, without which it says nothing. */
  readonly onlyFor?: readonly string[];
  /** The console's: a moment that is of use only while it is to come. */
  readonly isFuture?: true;
  /** The console's: the most decimals that a number may have. */
  readonly decimalsMax?: number;
}

/** The types that a value may have; none where the schema leaves it open. */
export function typesOf({ type }: JsonSchema): readonly string[] {
  if (type === undefined) return [];
  return typeof type === "string" ? [type] : type;
}

/** Whether null stands for "none". */
export function isNullable(schema: JsonSchema): boolean {
  return typesOf(schema).includes("null") || schema.enum?.includes(null) === true;
}
