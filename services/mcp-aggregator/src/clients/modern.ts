import { type JsonBounds, JsonPart, JsonRefusal, OutlineReader, type OutlineSpec } from "@gatehouse/json";
import { isJsonObject, type JsonObject } from "@gatehouse/json-rpc";
import { Pace } from "@gatehouse/pace";
import type { Answer } from "../domain/json-rpc-answer.ts";
import { UpstreamFailure } from "../domain/upstream-failure.ts";
import type { RequestParams, UpstreamRequest } from "./upstream-connection.ts";

const protocolVersion = "2026-07-28";
const metaKey = (name: string) => `io.modelcontextprotocol/${name}`;

/** Params in the format of revision 2026-07-28, with client info and capabilities in `_meta`. */
export function toModernParams(params: RequestParams | undefined, clientInfo: JsonObject): RequestParams {
  const known = (value: unknown, kind: "string" | "object") => JsonPart.known(JSON.stringify(value), kind);
  const meta = new Map([
    ...(params?.get("_meta")?.members ?? []),
    [metaKey("protocolVersion"), known(protocolVersion, "string")],
    [metaKey("clientInfo"), known(clientInfo, "object")],
    [metaKey("clientCapabilities"), known({}, "object")],
  ]);
  return new Map([...(params ?? []), ["_meta", JsonPart.object(meta)]]);
}

/**
 * Headers that repeat the body for intermediaries (revision 2026-07-28, "Streamable HTTP"). Arguments may have megabytes, and the
 * schema is the upstream's, so only arguments for which the schema names a header are read, in steps.
 */
export async function toModernHeaders({
  method,
  params,
  inputSchema,
}: UpstreamRequest): Promise<Record<string, string>> {
  const headers: Record<string, string> = { "mcp-protocol-version": protocolVersion, "mcp-method": method };
  const name = params?.get("name")?.asString(nameBytesMax);
  if (method === "tools/call" && name !== undefined) headers["mcp-name"] = encodeHeader(name);
  const given = params?.get("arguments");
  const spec = inputSchema === undefined ? undefined : headerSpec(inputSchema, 0);
  if (spec === undefined || given === undefined) return headers;
  const outlined = await outlineArguments(given.bytes, spec);
  return outlined === undefined ? headers : { ...headers, ...toParamHeaders(inputSchema, outlined) };
}

const nameBytesMax = 4_096;

/** Removes members that only this revision has. @throws UpstreamFailure `interactive` for a result that asks for input */
export function fromModernAnswer(answer: Answer): Answer {
  if (answer.kind === "error" || answer.result.members === undefined) return answer;
  const members = new Map(answer.result.members);
  if (members.get("resultType")?.asString(nameBytesMax) === "input_required") throw new UpstreamFailure("interactive");
  const meta = members.get("_meta")?.members;
  for (const name of ["resultType", "ttlMs", "cacheScope", "_meta"]) members.delete(name);
  const kept = new Map([...(meta ?? [])].filter(([name]) => name !== metaKey("serverInfo")));
  if (kept.size > 0) members.set("_meta", JsonPart.object(kept));
  return { kind: "result", result: JsonPart.object(members) };
}

const nestingMax = 10;
const headerTokenPattern = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Bytes of an argument's JSON that is repeated in a header; more than servers accept in a whole head. */
const headerValueBytesMax = 16 * 1024;
/** The bounds of requests were checked already; upstreams refuse calls whose headers are omitted for their size. */
const argumentBounds: JsonBounds = { depthMax: 1_000, valuesMax: 4e6, membersMax: 4e6, keyLengthMax: 64 * 1024 };
/** Bytes of arguments that are read in one step. */
const stepBytes = 16 * 1024;

/** Members for which a schema names a header, reached through `properties` alone; undefined: none. */
function headerSpec(schema: unknown, depth: number): OutlineSpec | undefined {
  if (!isJsonObject(schema) || !isJsonObject(schema.properties) || depth > nestingMax) return undefined;
  const members = Object.entries(schema.properties).flatMap(([name, property]): [string, OutlineSpec][] => {
    const inner = headerSpec(property, depth + 1);
    return inner === undefined && headerOf(property) === undefined ? [] : [[name, inner ?? {}]];
  });
  return members.length === 0 ? undefined : { members: Object.fromEntries(members) };
}

function headerOf(property: unknown): string | undefined {
  const header = isJsonObject(property) ? property["x-mcp-header"] : undefined;
  return typeof header === "string" && headerTokenPattern.test(header) ? header.toLowerCase() : undefined;
}

async function outlineArguments(bytes: Buffer, spec: OutlineSpec): Promise<JsonPart | undefined> {
  const reader = new OutlineReader(bytes, spec, argumentBounds);
  const pace = new Pace();
  try {
    for (;;) {
      const outline = reader.read(stepBytes);
      if (outline !== undefined) return outline;
      await pace.rest();
    }
  } catch (err) {
    if (err instanceof JsonRefusal) return undefined;
    throw err;
  }
}

/** Headers of the arguments that {@link headerSpec} outlines. */
function toParamHeaders(schema: unknown, part: JsonPart): Record<string, string> {
  if (!isJsonObject(schema) || !isJsonObject(schema.properties)) return {};
  const headers: Record<string, string> = {};
  for (const [name, given] of part.members ?? []) {
    const property = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    const header = headerOf(property);
    const text = toHeaderText(given);
    if (header !== undefined && text !== undefined) headers[`mcp-param-${header}`] = encodeHeader(text);
    Object.assign(headers, toParamHeaders(property, given));
  }
  return headers;
}

function toHeaderText(part: JsonPart): string | undefined {
  if (part.kind === "string") return part.asString(headerValueBytesMax);
  if (part.kind === "literal") return part.isNull ? undefined : part.text;
  const number = part.asNumber();
  return number === undefined || !Number.isFinite(number) ? undefined : String(number);
}

/** A header's value unchanged where that is safe, else as marked Base64. */
function encodeHeader(text: string): string {
  const isPlain = /^[\x20-\x7e\t]+$/.test(text) && text === text.trim() && !/^=\?base64\?.*\?=$/.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`;
}
