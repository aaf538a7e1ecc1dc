import type { JsonObject } from "@gatehouse/json-rpc";
import type { McpTool } from "@gatehouse/mcp";

/** A project's tools, from chat. @throws GatewayError `unavailable` or `deadline_exceeded` where chat does not answer. */
export type ListTools = (projectUuid: string) => Promise<readonly McpTool[]>;

/** Keeps chat's latest listings across restarts and replicas. */
export interface ToolCatalogueStore {
  find(projectUuid: string): Promise<readonly McpTool[] | undefined>;
  /**
   * Keeps a list in the place of one that is no newer. @param listedAt when chat was asked for it: the list is as of then or later
   * @returns false where a newer one is kept
   */
  save(projectUuid: string, tools: readonly McpTool[], listedAt: Date): Promise<boolean>;
  /** Removes catalogues whose latest listing is older than a time. */
  prune(before: Date): Promise<void>;
}

/** Input schema of every tool of the bridge. */
const inputSchema: JsonObject = {
  type: "object",
  properties: { message: { type: "string", description: "User message." } },
  required: ["message"],
};

/** An endpoint that is exposed as a tool, as MCP clients see it. */
export function toBridgeTool({ name, description }: Pick<McpTool, "name" | "description">): McpTool {
  // Models choose a tool by its description, so there is one in any case.
  return { name, description: description === "" ? `Sends a message to ${name}.` : description, inputSchema };
}
