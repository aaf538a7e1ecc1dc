import { JsonPart } from "@gatehouse/json";
import { isJsonObject, type JsonObject } from "@gatehouse/json-rpc";
import type { Answer } from "../domain/json-rpc-answer.ts";
import { UpstreamFailure } from "../domain/upstream-failure.ts";
import type { RequestParams, UpstreamRequest } from "../domain/upstream-connection.ts";

const protocolVersion = "2026-07-28";
const metaKey = (name: string) => `io.modelcontextprotocol/${name}`;

/** The params of a request as revision 2026-07-28 wants them: who asks and what it can do stand in `_meta`. */
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

/** Headers that repeat the body, so that what stands between need not read it (revision 2026-07-28, "Streamable HTTP"). */
export function toModernHeaders({ method, params, inputSchema }: UpstreamRequest): Record<string, string> {
  const headers: Record<string, string> = { "mcp-protocol-version": protocolVersion, "mcp-method": method };
  const name = params?.get("name")?.asString(nameBytesMax);
  if (method === "tools/call" && name !== undefined) headers["mcp-name"] = encodeHeader(name);
  const given = params?.get("arguments");
  if (inputSchema === undefined || given === undefined) return headers;
  return { ...headers, ...toParamHeaders(inputSchema, JSON.parse(given.text), 0) };
}

const nameBytesMax = 4_096;

/** Takes what only this revision has out of a result. @throws UpstreamFailure `interactive` for a result that asks for input. */
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

/** Arguments whose schema names a header, reached through `properties` alone. */
function toParamHeaders(schema: unknown, value: unknown, depth: number): Record<string, string> {
  if (!isJsonObject(schema) || !isJsonObject(schema.properties) || !isJsonObject(value) || depth > nestingMax)
    return {};
  const headers: Record<string, string> = {};
  for (const [name, property] of Object.entries(schema.properties)) {
    const given = Object.hasOwn(value, name) ? value[name] : undefined;
    const header = isJsonObject(property) ? property["x-mcp-header"] : undefined;
    const text = toHeaderText(given);
    if (typeof header === "string" && headerTokenPattern.test(header) && text !== undefined) {
      headers[`mcp-param-${header.toLowerCase()}`] = encodeHeader(text);
    }
    Object.assign(headers, toParamHeaders(property, given, depth + 1));
  }
  return headers;
}

function toHeaderText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value))) return String(value);
  return undefined;
}

/** A header's value as it is where that is safe, else as Base64 with marks around. */
function encodeHeader(text: string): string {
  const isPlain = /^[\x20-\x7e\t]+$/.test(text) && text === text.trim() && !/^=\?base64\?.*\?=$/.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`;
}
