import type { JsonObject } from "@gatehouse/json";

/** Entry of an endpoint's `allowed_parameters` that permits tools run by the provider. */
export const toolsName = "tools";

/** Work that the provider does while it answers, with texts that the gateway does not see. */
interface ProviderWork {
  readonly name: string;
  /** Type of tool as written by the caller; the parameter's name where it is not a tool. */
  readonly kind: string;
  /** Whether it names the server, the connector or the account that the provider calls. */
  readonly chooses: boolean;
}

/** Types of tools that the caller runs: the model only returns the arguments. */
const callerRun: ReadonlySet<unknown> = new Set(["function", "custom"]);
/** Parameters, other than tools, that request a search by the provider. */
const searchNames = ["web_search_options", "web_search", "enable_search", "search_parameters"] as const;
/** Parameters that refer to texts stored at the provider, which are read before the request's own. */
const storedNames = [
  "previous_response_id", "conversation", "cached_content", "cachedContent", "file_ids", "vector_store_ids", "prompt_id",
] as const; // prettier-ignore
/** Words in a tool's members or type that identify the server to call. */
const serverWords = /mcp|server|connector|url|uri|host|authorization|headers|endpoint/i;

/** Work that a caller's parameters request from the provider; the choice of a server comes first. */
export function findProviderWork(parameters: JsonObject): ProviderWork | undefined {
  const { tools } = parameters;
  const work = Array.isArray(tools) ? tools.map(toProviderWork).filter((one) => one !== undefined) : [];
  const search = [...searchNames, ...storedNames].find((name) => isAsked(parameters[name]));
  return work.find(({ chooses }) => chooses) ?? work[0] ?? (search && { name: search, kind: search, chooses: false });
}

/**
 * Reads a tool. Without a type it is a function if it has that member; other dialects name the tool by a member
 * (`{"google_search":{}}`).
 */
function toProviderWork(tool: unknown): ProviderWork | undefined {
  if (typeof tool !== "object" || tool === null) return undefined;
  const members = Object.keys(tool);
  const type: unknown = "type" in tool ? tool.type : "function" in tool ? "function" : undefined;
  const kind = typeof type === "string" ? type : (members[0] ?? "");
  const isOfCaller = callerRun.has(type);
  const chooses = members.some((name) => serverWords.test(name)) || (!isOfCaller && serverWords.test(kind));
  return isOfCaller && !chooses ? undefined : { name: toolsName, kind, chooses };
}

function isAsked(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false;
}
