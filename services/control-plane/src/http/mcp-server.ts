import { createMcpDispatcher, type JsonRpcDispatcher, type McpToolResult } from "@gatehouse/json-rpc";
import type { RequestContext } from "@gatehouse/principal";
import type { Logger } from "@gatehouse/telemetry";
import { isAllowed } from "../domain/access.ts";
import type { AdminResources } from "../admin/admin-context.ts";
import { createCaller } from "../operations/caller.ts";

import type { OperationCatalogue } from "../operations/operation-catalogue.ts";
import { createOperationRunner } from "../operations/operation-runner.ts";
import { logRefusedChange } from "./refused-change.ts";

export interface ControlMcpServerOptions {
  /** The product's name; ` Control Plane` is appended. */
  readonly serviceName: string;
  readonly catalogue: OperationCatalogue;
  readonly resources: AdminResources;
  readonly log: Logger;
}

/** The operations as MCP tools. */
export function createControlMcpServer(options: ControlMcpServerOptions): JsonRpcDispatcher<RequestContext> {
  const { serviceName, catalogue, resources, log } = options;
  return createMcpDispatcher({
    name: `${serviceName} Control Plane`,
    async listTools(request) {
      const { administrator } = createCaller(request);
      const allowed = (await catalogue.list()).filter(({ access }) => isAllowed(administrator, access));
      return allowed.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    },
    async callTool({ name, arguments: given }, request): Promise<McpToolResult> {
      const caller = createCaller(request);
      const run = createOperationRunner(catalogue, resources, caller).run(name, given);
      const result = await run.catch((err: unknown) => {
        const { requestId } = request;
        logRefusedChange(log, { operation: name, origin: caller.originFor(null), requestId, err });
        throw err;
      });
      return { content: [{ type: "text", text: JSON.stringify(result) }], structuredContent: result, isError: false };
    },
  });
}
