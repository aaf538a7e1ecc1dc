import type { JsonObject } from "@gatehouse/json";

/** The name in an endpoint's `allowed_parameters` under which callers may bring tools that the provider runs. */
export const toolsName = "tools";

/** Something that the provider does by itself while it answers, with texts that the gateway does not see. */
interface ProviderWork {
  /** The parameter that asks for it. */
  readonly name: string;
  /** The kind of tool, as the caller wrote it; the parameter's name where it is no tool. */
  readonly kind: string;
  /** Whether it names the server, the connector or the account that the provider is to call. */
  readonly chooses: boolean;
}

/** Tools that the caller runs: the model only says how it would call them. */
const callerRun: ReadonlySet<unknown> = new Set(["function", "custom"]);
/** Parameters that ask for a search of the provider, beside its tools. */
const searchNames = ["web_search_options", "web_search", "enable_search", "search_parameters"] as const;
/** Parameters that name texts which the provider keeps, and reads before the request's own. */
const storedNames = [
  "previous_response_id", "conversation", "cached_content", "cachedContent", "file_ids", "vector_store_ids", "prompt_id",
] as const; // prettier-ignore
/** Words in a tool's members, or in its type, that name whom the provider is to call. */
const serverWords = /mcp|server|connector|url|uri|host|authorization|headers|endpoint/i;

/** Work that a caller's parameters ask the provider to do by itself; the choice of a server comes first. */
export function findProviderWork(parameters: JsonObject): ProviderWork | undefined {
  const { tools } = parameters;
  const work = Array.isArray(tools) ? tools.map(toProviderWork).filter((one) => one !== undefined) : [];
  const search = [...searchNames, ...storedNames].find((name) => isAsked(parameters[name]));
  return work.find(({ chooses }) => chooses) ?? work[0] ?? (search && { name: search, kind: search, chooses: false });
}

/** A tool without a type is a function where it has one; other dialects name theirs by a member (`{"google_search":{}}`). */
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
