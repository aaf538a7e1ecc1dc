import { isJsonObject, type JsonObject } from "@gatehouse/json";
import { type ArgumentSchema, operations } from "./operations.ts";

const reference = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/;
/** A secret that would be read as a reference, or as an escaped one. */
const ambiguous = /^\$+\{[A-Za-z_][A-Za-z0-9_]*\}$/;

const applied = operations.find(({ name }) => name === "svc_apply_config");
const documentSchema = applied?.inputSchema.properties?.["document"] ?? {};

/**
 * A configuration document with the references (`${NAME}`) among its secrets filled in; those unknown to `valueOf` stay. Secrets
 * are the settings that the schema of documents marks `writeOnly`. No other text is a reference: the editors of a project choose
 * these, and would otherwise read the variables of the person who applies an export.
 */
export function fillSecrets(document: JsonObject, valueOf: (name: string) => string | undefined): JsonObject {
  return fillMembers(document, documentSchema, valueOf);
}

function fillMembers(
  owner: JsonObject,
  { properties = {} }: ArgumentSchema,
  valueOf: (name: string) => string | undefined,
): JsonObject {
  const described = Object.entries(properties).filter(([name]) => Object.hasOwn(owner, name));
  const filled = described.map(([name, schema]) => [name, fill(owner[name], schema, valueOf)] as const);
  return { ...owner, ...Object.fromEntries(filled) };
}

function fill(value: unknown, schema: ArgumentSchema, valueOf: (name: string) => string | undefined): unknown {
  if (Array.isArray(value)) return value.map((member: unknown) => fill(member, schema.items ?? {}, valueOf));
  if (isJsonObject(value)) return fillMembers(value, schema, valueOf);
  const name = schema.writeOnly === true && typeof value === "string" ? reference.exec(value)?.[1] : undefined;
  const secret = name === undefined ? undefined : valueOf(name);
  return secret === undefined ? value : toLiteral(secret);
}

/** A secret as a document has it: one of the form `${NAME}` gets one more `$`, so that it stays the secret itself. */
function toLiteral(secret: string): string {
  return ambiguous.test(secret) ? `$${secret}` : secret;
}
