import { type GatewayError, invalidArgument } from "@gatehouse/errors";
import type { JsonObject } from "@gatehouse/json";
import { Ajv, type ErrorObject, type FuncKeywordDefinition } from "ajv";
import type { Static, TObject } from "typebox";
import { quote } from "./keys.ts";
import { nearestName } from "./nearest-name.ts";
import {
  discriminatorKey,
  insteadOfNullKey,
  messagesKey,
  type Refine,
  refineKey,
  unknownMembersKey,
  type Message,
} from "./schemas.ts";

/** Schemas are part of the code and compiled once. The test that calls every operation as every role finds mistakes in them. */
const ajv = new Ajv({ strict: true, allowUnionTypes: true, useDefaults: true, verbose: true, discriminator: true });
for (const keyword of [unknownMembersKey, messagesKey, insteadOfNullKey]) ajv.addKeyword(keyword);
ajv.addKeyword({ keyword: refineKey, errors: true, post: true, compile: toValidate });
for (const annotation of ["uri", "uuid", "date-time", "hostname"]) ajv.addFormat(annotation, true);

/**
 * Length of a schema's text from which it is compiled at definition, since compiling it later would delay calls. Others take a
 * few milliseconds each and are compiled at their first call; at the start they took a tenth of it.
 */
const compiledAtOnceLengthMin = 16_384;
const namedMax = 8;
/** Choices of a list from which a refusal names the nearest; shorter lists are seen at a glance. */
const longChoicesMin = 20;

/**
 * Compiles a schema to the check of an operation's arguments, which returns a copy with defaults filled in. `null` counts as
 * absent, except where the schema gives it a meaning, and in changes, where it is refused for all settings but names.
 * @returns a function that throws GatewayError `invalid_argument` for the first problem.
 */
export function createArgumentsCheck<Schema extends TObject>(schema: Schema): (given: JsonObject) => Static<Schema> {
  const plain = schema as unknown as PlainSchema;
  const compile = () => ajv.compile<Static<Schema>>(schema);
  let compiled = JSON.stringify(schema).length < compiledAtOnceLengthMin ? undefined : compile();
  return (given) => {
    const validate = (compiled ??= compile());
    const refused = findRefusedNull(given, plain);
    if (refused !== undefined) throw invalidArgument(`${refused.name} must not be null: ${refused.instead}`);
    const copy = withoutNulls(given, plain);
    if (validate(copy)) return copy;
    const [error] = validate.errors ?? [];
    throw error === undefined
      ? new Error("A schema refused arguments without a reason.")
      : toRefusal(error, plain, copy);
  };
}

type DataValidateFunction = ReturnType<NonNullable<FuncKeywordDefinition["compile"]>>;

/** Converts a schema's {@link Refine} condition to ajv's form. */
function toValidate(refine: Refine<unknown>, { type }: PlainSchema): DataValidateFunction {
  const validate: DataValidateFunction = (data: unknown) => {
    // Another keyword refuses values of other types.
    const problem = isOfType(data, type) ? refine(data) : undefined;
    if (problem === undefined) return true;
    validate.errors = [{ keyword: refineKey, message: problem, params: {} }];
    return false;
  };
  return validate;
}

/** Whether a value has the first type of a schema. */
export function isOfType(data: unknown, type: unknown): boolean {
  if (Array.isArray(data)) return type === "array";
  const [named] = [type].flat();
  return data !== null && typeof data === (named === "integer" ? "number" : named);
}

/** JSON Schema without TypeBox's types: the keywords that the checks of arguments and of disagreements read. */
export interface PlainSchema {
  readonly type?: unknown;
  readonly oneOf?: readonly PlainSchema[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, PlainSchema>>;
  readonly items?: PlainSchema;
  readonly [keyword: string]: unknown;
}

/** A setting that a change gives as null although null has no meaning for it, and what to give instead. */
export function findRefusedNull(given: JsonObject, schema: PlainSchema) {
  const refused = Object.keys(given).flatMap((name) => {
    const instead = schema.properties?.[name]?.[insteadOfNullKey];
    return given[name] === null && typeof instead === "string" && !takesNull(schema, name) ? [{ name, instead }] : [];
  });
  return refused[0];
}

/** A deep copy without null members that the schema does not allow. */
function withoutNulls(value: unknown, schema: PlainSchema | undefined): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, schema?.items));
  if (typeof value !== "object" || value === null) return value;
  const described = alternativeFor(value, schema);
  const entries = Object.entries(value).filter(([name, member]) => member !== null || takesNull(described, name));
  return Object.fromEntries(
    entries.map(([name, member]) => [name, withoutNulls(member, described?.properties?.[name])]),
  );
}

/** The alternative selected by a record's `type`, where the schema has several. */
export function alternativeFor(value: object, schema: PlainSchema | undefined): PlainSchema | undefined {
  if (schema?.[discriminatorKey] === undefined) return schema;
  const { type } = value as { readonly type?: unknown };
  return schema.oneOf?.find(({ properties }) => properties?.["type"]?.const === type);
}

/** Whether a member may be null; true for one without a schema, which is either refused or free-form. */
function takesNull(schema: PlainSchema | undefined, name: string): boolean {
  const member = schema?.properties?.[name];
  if (member === undefined || member.type === undefined) return true;
  return Array.isArray(member.type) && member.type.includes("null");
}

function toRefusal(error: ErrorObject, root: PlainSchema, given: unknown): GatewayError {
  const { keyword, params, data, parentSchema = {} } = error as ErrorObject & { readonly parentSchema?: PlainSchema };
  const steps = error.instancePath.split("/").slice(1).map(unescape);
  const field = toField(steps);
  const words = (parentSchema[messagesKey] as Readonly<Record<string, Message>> | undefined)?.[keyword];
  if (words !== undefined) return invalidArgument(`${field} ${typeof words === "string" ? words : words(data)}`);
  switch (keyword) {
    case "required":
      return missingArgument(steps, String(params["missingProperty"]), { given: data, schema: parentSchema });
    case "additionalProperties":
      return invalidArgument(unknownArgument(toField([...steps, String(params["additionalProperty"])]), parentSchema));
    case "discriminator":
      return params["tagValue"] === undefined
        ? invalidArgument(`Missing required argument: ${field}.type`)
        : invalidArgument(`Invalid ${field}.type: ${quote(params["tagValue"])}`);
    case "enum":
      return unknownMembers(steps, root, given) ?? invalidArgument(invalidChoice(field, data, parentSchema));
    case "type":
      // A list's member is named by its index and type instead.
      if (Array.isArray(parentSchema["enum"]) && !/^\d+$/.test(steps.at(-1) ?? "")) {
        return invalidArgument(`Invalid ${field}: ${quote(data)}`);
      }
      return invalidArgument(`${field} must be ${[params["type"] as unknown].flat().join(" or ")}`);
    case "pattern":
    case "minLength":
      return invalidArgument(`${field} ${isBlank(data) ? "must not be empty" : "must not have control characters"}`);
    case "maxLength":
      return invalidArgument(`${field} must have at most ${String(params["limit"])} characters`);
    case "minimum":
    case "maximum":
      return invalidArgument(
        `${field} must be from ${String(parentSchema["minimum"])} to ${String(parentSchema["maximum"])}`,
      );
    case "minItems":
    case "maxItems": {
      const { minItems, maxItems } = parentSchema;
      return invalidArgument(`${field} must have from ${String(minItems)} to ${String(maxItems)} items`);
    }
    default:
      return invalidArgument([field, error.message ?? "is not valid"].filter(Boolean).join(" "));
  }
}

interface GivenObject {
  readonly given: unknown;
  readonly schema: PlainSchema;
}

/** An unknown argument is named as well; it may be the missing one misspelled: the most similar, else the first. */
function missingArgument(steps: readonly string[], name: string, { given, schema }: GivenObject): GatewayError {
  const missing = `Missing required argument: ${toField([...steps, name])}`;
  const { properties = {}, additionalProperties } = schema;
  if (additionalProperties !== false || typeof given !== "object" || given === null) return invalidArgument(missing);
  const unknown = Object.keys(given).filter((each) => !Object.hasOwn(properties, each));
  const named = nearestName(name, unknown) ?? unknown[0];
  if (named === undefined) return invalidArgument(missing);
  return invalidArgument(`${missing}. ${unknownArgument(toField([...steps, named]), schema)}`);
}

function unknownArgument(field: string, { properties = {} }: PlainSchema): string {
  const name = field.slice(field.lastIndexOf(".") + 1);
  return `Unknown argument: ${quote(field)}${suggestion(name, Object.keys(properties))}`;
}

function invalidChoice(field: string, value: unknown, { enum: choices }: PlainSchema): string {
  const names = Array.isArray(choices) ? choices.filter((choice) => typeof choice === "string") : [];
  const isLong = names.length >= longChoicesMin && typeof value === "string";
  return `Invalid ${field}: ${quote(value)}${isLong ? suggestion(value, names) : ""}`;
}

function suggestion(mistyped: string, names: readonly string[]): string {
  const nearest = nearestName(mistyped, names);
  return nearest === undefined ? "" : `. Did you mean '${nearest}'?`;
}

/** Names all members of a list that are not in its items' enum, in one message. */
function unknownMembers(steps: readonly string[], root: PlainSchema, given: unknown): GatewayError | undefined {
  let schema: PlainSchema | undefined = root;
  let members = given;
  for (const step of steps.slice(0, -1)) {
    schema = Array.isArray(members) ? schema?.items : schema?.properties?.[step];
    members = (members as Readonly<Record<string, unknown>>)[step];
  }
  const words = schema?.[unknownMembersKey];
  if (typeof words !== "string" || !Array.isArray(members)) return undefined;
  const known = schema?.items?.["enum"];
  const unknown = members.filter((member) => !Array.isArray(known) || !known.includes(member));
  const named = unknown.slice(0, namedMax).map(quote).join(", ");
  const more = unknown.length > namedMax ? ` and ${unknown.length - namedMax} more` : "";
  return invalidArgument(`${words}: ${named}${more}`);
}

function isBlank(value: unknown): boolean {
  return typeof value === "string" && value.trim() === "";
}

/** `/targets/0/model` becomes `targets[0].model`. */
function toField(steps: readonly string[]): string {
  return steps.map((step, at) => (/^\d+$/.test(step) ? `[${step}]` : at === 0 ? step : `.${step}`)).join("");
}

/** RFC 6901, section 4. */
function unescape(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}
