import { createMcpDispatcher, type JsonRpcDispatcher, type McpToolResult, unknownTool } from "@gatehouse/json-rpc";
import type { RequestContext } from "@gatehouse/principal";
import type { Operation, OperationContext } from "../operations/operation.ts";

export interface ControlMcpServerOptions {
  /** The product's name; ` Control Plane` is appended. */
  readonly serviceName: string;
  readonly operations: readonly Operation[];
  readonly context: OperationContext;
}

/** The operations as MCP tools. */
export function createControlMcpServer(options: ControlMcpServerOptions): JsonRpcDispatcher<RequestContext> {
  const { serviceName, operations, context } = options;
  const byName = new Map(operations.map((operation) => [operation.name, operation]));
  const tools = operations.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  return createMcpDispatcher({
    name: `${serviceName} Control Plane`,
    listTools: async () => await Promise.resolve(tools),
    async callTool({ name, arguments: given }): Promise<McpToolResult> {
      const operation = byName.get(name);
      if (operation === undefined) throw unknownTool(name);
      const result = await operation.call(given, context);
      return { content: [{ type: "text", text: JSON.stringify(result) }], structuredContent: result, isError: false };
    },
  });
}
