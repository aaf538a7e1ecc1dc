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

/** Input schema of every tool of the bridge. */
const inputSchema: JsonObject = {
  type: "object",
  properties: { message: { type: "string", description: "User message." } },
  required: ["message"],
};

/** Converts an exposed endpoint to an MCP tool. */
export function toBridgeTool({ name, description }: Pick<McpTool, "name" | "description">): McpTool {
  // Never empty: models choose a tool by its description.
  return { name, description: description === "" ? `Sends a message to ${name}.` : description, inputSchema };
}
