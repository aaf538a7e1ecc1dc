import { type JsonBounds, type JsonPart, JsonRefusal, OutlineReader } from "@gatehouse/json";
import { excerpt, isJsonObject, type JsonObject, parseExactJson } from "@gatehouse/json-rpc";
import { findSuspicions } from "./suspicious-text.ts";
import { hashDefinition } from "./tool-pins.ts";

/**
 * A listed tool, without the prefix. Definition and metadata are kept as JSON text, since values of a large catalogue would take
 * a multiple of the memory, and long to encode.
 */
export interface ListedTool {
  readonly name: string;
  /** JSON text of a {@link ToolDefinition}. */
  readonly definitionText: string;
  /** Further forwarded fields: title, annotations, output schema, icons. `{}`: none. */
  readonly metadataText: string;
  /** See `hashDefinition`. */
  readonly hash: string;
  /** Suspicious parts of the definition, for review by a person. */
  readonly suspicions: readonly string[];
}

/** Members that every client understands, and that are pinned. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
}

/** A listed tool that is hidden from clients, with the reason for administrators. */
export interface QuarantinedTool {
  readonly name: string;
  readonly reason: string;
}

interface SortedTools {
  readonly tools: readonly ListedTool[];
  readonly quarantined: readonly QuarantinedTool[];
}

const nameLengthMax = 256;
const shownNameLengthMax = 100;
const toolBytesMax = 256 * 1024;
/** Bounds of a tool; reading one takes milliseconds. */
const toolBounds: JsonBounds = { depthMax: 64, valuesMax: 20_000, membersMax: 20_000, keyLengthMax: 4_096 };
const quarantinedMax = 1_000;

/**
 * Separates an upstream's tools into those that every client accepts and those that would break a client's whole list
 * (docs/mcp-gateway.md). Repairs what can be repaired without a change of meaning. Yields after each tool.
 */
export function* sortTools(parts: readonly JsonPart[]): Generator<void, SortedTools> {
  const tools = new Map<string, ListedTool>();
  const quarantined: QuarantinedTool[] = [];
  for (const [index, part] of parts.entries()) {
    const { name, outcome } = readTool(part, index);
    if (typeof outcome === "string") quarantined.push({ name, reason: outcome });
    else if (tools.has(outcome.name))
      quarantined.push({ name: outcome.name, reason: "another tool has the same name" });
    else tools.set(outcome.name, outcome);
    yield;
  }
  return { tools: [...tools.values()], quarantined: quarantined.slice(0, quarantinedMax) };
}

/** Builds a tool from a stored definition and metadata. */
export function toListedTool(definition: ToolDefinition, metadata: JsonObject): ListedTool {
  const definitionText = JSON.stringify(definition);
  return {
    name: definition.name,
    definitionText,
    metadataText: JSON.stringify(metadata),
    hash: hashDefinition(definition),
    suspicions: findSuspicions(definitionText),
  };
}

/** The tool, or why it cannot be listed, with a name to show. */
function readTool(part: JsonPart, index: number): { readonly name: string; readonly outcome: ListedTool | string } {
  const sizeProblem = findSizeProblem(part);
  if (sizeProblem !== undefined) return { name: `tool ${index + 1}`, outcome: sizeProblem };
  const { text } = part;
  const value = parseExactJson(text);
  const name = shownName(value, index);
  const problem = findNameProblem(value);
  if (problem !== undefined) return { name, outcome: problem };
  const repaired = pairSurrogates(text);
  if (repaired === text) return { name, outcome: readNamedTool(value) };
  return { name, outcome: findTornSchema(value) ?? readNamedTool(parseExactJson(repaired)) };
}

const halfOfPair = "half of a surrogate pair";

/** The problem of a schema where a member's name has half of a surrogate pair: repaired, two such names would be one. */
function findTornSchema(value: unknown): string | undefined {
  const { inputSchema, outputSchema } = isJsonObject(value) ? value : {};
  const [torn] = Object.entries({ inputSchema, outputSchema }).find(([, schema]) => hasTornName(schema)) ?? [];
  return torn === undefined ? undefined : `its ${torn} has a member whose name has ${halfOfPair}`;
}

/** Recurses no deeper than {@link toolBounds} allow. */
function hasTornName(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasTornName);
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(([name, member]) => !name.isWellFormed() || hasTornName(member));
}

/** Escapes of JSON text; the groups are a surrogate pair, and a lone surrogate. */
const escapes = /(\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2})|(\\u[dD][89a-fA-F][\da-fA-F]{2})|\\[^]/g;

/**
 * JSON text with U+FFFD in place of lone surrogates, as for invalid UTF-8. Some clients' decoders refuse a whole list for one of
 * them (serde_json), others fail when they write it as UTF-8 (Python).
 */
function pairSurrogates(text: string): string {
  return text.replaceAll(escapes, (escape, _pair, lone) => (lone === undefined ? escape : "\uFFFD"));
}

function findSizeProblem(part: JsonPart): string | undefined {
  if (part.size > toolBytesMax) return `it is larger than ${toolBytesMax} bytes`;
  try {
    new OutlineReader(part.bytes, {}, toolBounds).read(part.size);
    return undefined;
  } catch (err) {
    if (!(err instanceof JsonRefusal)) throw err;
    if (err.kind === "too_deep") return `it is nested more than ${toolBounds.depthMax} levels deep`;
    return `it ${err.clause}`;
  }
}

/** The tool of a value without a problem of its name. */
function readNamedTool(value: unknown): ListedTool | string {
  if (!isJsonObject(value)) return "it is not an object";
  const { name } = value;
  if (typeof name !== "string") return "its name is not a string";
  const inputSchema = readObjectSchema(value.inputSchema ?? {});
  if (typeof inputSchema === "string") return `its inputSchema ${inputSchema}`;
  return toListedTool({ name, description: describe(value, name), inputSchema }, readMetadata(value));
}

function findNameProblem(value: unknown): string | undefined {
  if (!isJsonObject(value)) return "it is not an object";
  const { name } = value;
  if (name === undefined) return "it has no name";
  if (typeof name !== "string") return "its name is not a string";
  if (name === "") return "its name is empty";
  if (name.length > nameLengthMax) return `its name has more than ${nameLengthMax} characters`;
  // Postgres cannot store such text, and clients cannot show it.
  if (!name.isWellFormed()) return `its name has ${halfOfPair}`;
  return /\p{Cc}/u.test(name) ? "its name has control characters" : undefined;
}

/** Clients require a description; falls back to the title, then the name. */
function describe({ description, title, annotations }: JsonObject, name: string): string {
  const titleInside = isJsonObject(annotations) ? annotations.title : undefined;
  const candidates = [description, title, titleInside];
  return candidates.find((text): text is string => typeof text === "string" && text !== "") ?? name;
}

/**
 * A schema that official SDKs accept, or its problem. Replaces a missing type, null members (Go's encoding of empty lists) and
 * schemas `true` or `false` by equivalent accepted forms.
 */
function readObjectSchema(schema: unknown): JsonObject | string {
  if (!isJsonObject(schema)) return "is not an object";
  const { type = "object", properties, required, ...rest } = schema;
  if (type !== "object" && type !== null) return "has a type other than object";
  const readProperties = readPropertySchemas(properties);
  if (typeof readProperties === "string") return readProperties;
  if (!isAbsent(required) && !(Array.isArray(required) && required.every((name) => typeof name === "string"))) {
    return "has a required member that is not a list of strings";
  }
  return {
    type: "object",
    ...(readProperties === undefined ? {} : { properties: readProperties }),
    ...(isAbsent(required) ? {} : { required }),
    ...rest,
  };
}

function readPropertySchemas(properties: unknown): JsonObject | undefined | string {
  if (isAbsent(properties)) return undefined;
  if (!isJsonObject(properties)) return "has properties that are not an object";
  const entries: [string, unknown][] = [];
  for (const [name, schema] of Object.entries(properties)) {
    if (typeof schema === "boolean") entries.push([name, schema ? {} : { not: {} }]);
    else if (isJsonObject(schema)) entries.push([name, schema]);
    else return `has a property that is not a schema: ${excerpt(name, shownNameLengthMax)}`;
  }
  return Object.fromEntries(entries);
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

const hintNames = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;

function readMetadata({ title, annotations, outputSchema, icons }: JsonObject): JsonObject {
  const schema = isAbsent(outputSchema) ? "absent" : readObjectSchema(outputSchema);
  const hints = readAnnotations(annotations);
  const iconList = Array.isArray(icons) ? icons.filter(isIcon) : [];
  return {
    ...(typeof title === "string" ? { title } : {}),
    ...(hints === undefined ? {} : { annotations: hints }),
    ...(typeof schema === "string" ? {} : { outputSchema: schema }),
    ...(iconList.length === 0 ? {} : { icons: iconList }),
  };
}

function readAnnotations(annotations: unknown): JsonObject | undefined {
  if (!isJsonObject(annotations)) return undefined;
  const hints = hintNames.filter((name) => typeof annotations[name] === "boolean");
  const title = typeof annotations.title === "string" ? { title: annotations.title } : {};
  return { ...title, ...Object.fromEntries(hints.map((name) => [name, annotations[name]])) };
}

function isIcon(icon: unknown): boolean {
  if (!isJsonObject(icon) || typeof icon.src !== "string") return false;
  const { mimeType, sizes } = icon;
  const sizesFit = isAbsent(sizes) || (Array.isArray(sizes) && sizes.every((size) => typeof size === "string"));
  return (mimeType === undefined || typeof mimeType === "string") && sizesFit && sizes !== null;
}

function shownName(value: unknown, index: number): string {
  const name = isJsonObject(value) ? value.name : undefined;
  if (typeof name !== "string" || name === "") return `tool ${index + 1}`;
  return excerpt(name.toWellFormed().replaceAll(/\p{Cc}/gu, "\u{FFFD}"), shownNameLengthMax);
}
