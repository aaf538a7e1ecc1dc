import { createMcpDispatcher, type JsonRpcDispatcher, type McpToolResult } from "@gatehouse/json-rpc";
import type { RequestContext } from "@gatehouse/principal";
import { createCaller } from "../operations/caller.ts";
import type { Operation, OperationResources } from "../operations/operation.ts";
import { createOperationRunner } from "../operations/operation-runner.ts";

export interface ControlMcpServerOptions {
  /** The product's name; ` Control Plane` is appended. */
  readonly serviceName: string;
  readonly operations: readonly Operation[];
  readonly resources: OperationResources;
}

/** The operations as MCP tools. */
export function createControlMcpServer(options: ControlMcpServerOptions): JsonRpcDispatcher<RequestContext> {
  const { serviceName, operations, resources } = options;
  const byName = new Map(operations.map((operation) => [operation.name, operation]));
  const tools = operations.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  return createMcpDispatcher({
    name: `${serviceName} Control Plane`,
    listTools: async () => await Promise.resolve(tools),
    async callTool({ name, arguments: given }, request): Promise<McpToolResult> {
      const result = await createOperationRunner(byName, resources, createCaller(request)).run(name, given);
      return { content: [{ type: "text", text: JSON.stringify(result) }], structuredContent: result, isError: false };
    },
  });
}
