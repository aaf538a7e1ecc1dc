import type { JsonObject } from "@gatehouse/json-rpc";
import type { McpTool } from "@gatehouse/mcp";

/** Lists a project's tools. @throws GatewayError `unavailable` or `deadline_exceeded` where chat does not answer */
export type ListTools = (projectUuid: string) => Promise<readonly McpTool[]>;

/** Keeps the last lists from chat across restarts and replicas. */
export interface ToolCatalogueStore {
  find(projectUuid: string): Promise<readonly McpTool[] | undefined>;
  /**
   * Stores a list unless a newer one is stored. @param listedAt time of the question to chat
   * @returns false where a newer one is stored
   */
  save(projectUuid: string, tools: readonly McpTool[], listedAt: Date): Promise<boolean>;
  /** Deletes lists older than a time. */
  prune(before: Date): Promise<void>;
}

const message: JsonObject = { type: "string", description: "User message." };
const inputSchema: JsonObject = { type: "object", properties: { message }, required: ["message"] };

/** An exposed endpoint, with the names of its prompt's variables. */
interface ExposedEndpoint extends Pick<McpTool, "name" | "description"> {
  readonly variables: readonly string[];
}

/** Converts an exposed endpoint to an MCP tool, whose schema names all that a model must send. */
export function toBridgeTool({ name, description, variables }: ExposedEndpoint): McpTool {
  return {
    name,
    // Never empty: models choose a tool by its description.
    description: description === "" ? `Sends a message to ${name}.` : description,
    inputSchema: variables.length === 0 ? inputSchema : withVariables(variables),
  };
}

function withVariables(names: readonly string[]): JsonObject {
  const variables: JsonObject = {
    type: "object",
    description: "Values for the prompt of this tool.",
    properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
    required: [...names],
  };
  return { type: "object", properties: { message, variables }, required: ["message", "variables"] };
}
