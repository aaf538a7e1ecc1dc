/** The part of JSON Schema that operations use. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
}

/** TypeScript type of the values that a schema admits; types cannot express bounds and formats. */
export function typeOfSchema(schema: JsonSchema): string {
  const { type, enum: choices, oneOf } = schema;
  if ("const" in schema) return JSON.stringify(schema.const);
  if (choices !== undefined) return union(choices.map((choice) => JSON.stringify(choice)));
  if (oneOf !== undefined) return union(oneOf.map(typeOfSchema));
  if (type === undefined) return "unknown";
  return union([type].flat().map((name) => typeOfName(name, schema)));
}

function typeOfName(name: string, schema: JsonSchema): string {
  switch (name) {
    case "integer":
    case "number":
      return "number";
    case "string":
    case "boolean":
    case "null":
      return name;
    case "array":
      return `readonly (${typeOfSchema(schema.items ?? {})})[]`;
    case "object":
      return typeOfObject(schema);
    default:
      throw new Error(`JSON Schema has no type ${name}.`);
  }
}

function typeOfObject({ properties, required = [], additionalProperties }: JsonSchema): string {
  const named = Object.entries(properties ?? {}).map(
    ([name, member]) =>
      `readonly ${JSON.stringify(name)}${required.includes(name) ? "" : "?"}: ${typeOfSchema(member)};`,
  );
  if (named.length > 0) return `{ ${named.join(" ")} }`;
  const others = typeof additionalProperties === "object" ? typeOfSchema(additionalProperties) : "unknown";
  return properties === undefined ? `Readonly<Record<string, ${others}>>` : "Readonly<Record<string, never>>";
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(" | ");
}
