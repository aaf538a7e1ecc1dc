import type { JsonObject, McpTool } from "@gatehouse/json-rpc";

/** Input schema of every tool of the bridge (interface specification, "tools/list in Bridge mode"). */
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
