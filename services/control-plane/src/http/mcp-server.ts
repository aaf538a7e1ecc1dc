import { createMcpDispatcher, type JsonRpcDispatcher, type McpToolResult } from "@gatehouse/json-rpc";
import type { RequestContext } from "@gatehouse/principal";
import type { Logger } from "@gatehouse/telemetry";
import { createCaller } from "../operations/caller.ts";
import type { Operation, OperationResources } from "../operations/operation.ts";
import { createOperationRunner } from "../operations/operation-runner.ts";
import { logRefusedChange } from "./refused-change.ts";

export interface ControlMcpServerOptions {
  /** The product's name; ` Control Plane` is appended. */
  readonly serviceName: string;
  readonly operations: readonly Operation[];
  readonly resources: OperationResources;
  readonly log: Logger;
}

/** The operations as MCP tools. */
export function createControlMcpServer(options: ControlMcpServerOptions): JsonRpcDispatcher<RequestContext> {
  const { serviceName, operations, resources, log } = options;
  const byName = new Map(operations.map((operation) => [operation.name, operation]));
  const tools = operations.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  return createMcpDispatcher({
    name: `${serviceName} Control Plane`,
    listTools: async () => await Promise.resolve(tools),
    async callTool({ name, arguments: given }, request): Promise<McpToolResult> {
      const caller = createCaller(request);
      const run = createOperationRunner(byName, resources, caller).run(name, given);
      const result = await run.catch((err: unknown) => {
        const { requestId } = request;
        if (byName.has(name)) {
          logRefusedChange(log, { operation: name, origin: caller.originFor(null), requestId, err });
        }
        throw err;
      });
      return { content: [{ type: "text", text: JSON.stringify(result) }], structuredContent: result, isError: false };
    },
  });
}
