import { type JsonRpcDispatcher, JsonText } from "@gatehouse/json-rpc";
import { createMcpDispatcher, type McpToolResult } from "@gatehouse/mcp";
import type { RequestContext } from "@gatehouse/principal";
import type { Logger } from "@gatehouse/telemetry";
import type { AdminResources } from "../admin/admin-context.ts";
import { isAllowed } from "../domain/access.ts";
import { idempotencyKeyName, readCallKey } from "../operations/call-key.ts";
import { type Caller, createCaller } from "../operations/caller.ts";
import { findingOnce, type OperationCatalogue } from "../operations/operation-catalogue.ts";
import { createOperationRunner, type OperationRunner } from "../operations/operation-runner.ts";
import { logRefusedChange, mayChange } from "./refused-change.ts";

/**
 * MCP dispatcher of the Control Plane. `tools/list` has the operations that the caller's role permits; refused changes are
 * logged.
 */
export function createControlMcpServer(
  /** The product's name; ` Control Plane` is appended. */
  serviceName: string,
  catalogue: OperationCatalogue,
  resources: AdminResources,
  log: Logger,
): JsonRpcDispatcher<RequestContext> {
  /** Creates the runner of one request, and logs each refused change. */
  const run = async <T>(
    name: string,
    request: RequestContext,
    work: (runner: OperationRunner, caller: Caller) => Promise<T>,
  ) => {
    const caller = createCaller(request);
    const operations = findingOnce(catalogue, name);
    try {
      return await work(createOperationRunner(operations, resources, caller), caller);
    } catch (err) {
      const { requestId } = request;
      if (await mayChange(operations, name))
        logRefusedChange(log, { operation: name, initiator: caller.initiatorFor(null), requestId, err });
      throw err;
    }
  };
  return createMcpDispatcher({
    name: `${serviceName} Control Plane`,
    async listTools(request) {
      const { administrator } = createCaller(request);
      const allowed = (await catalogue.list()).filter(({ access }) => isAllowed(administrator, access));
      const tools = allowed.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
      const takingKeys = allowed.filter(({ takesIdempotencyKey }) => takesIdempotencyKey).map(({ name }) => name);
      // In `_meta`, since the contract fixes the members of tools.
      return new JsonText(JSON.stringify({ tools, _meta: { [idempotencyKeyName]: takingKeys } }));
    },
    async permitTool(name, request) {
      await run(name, request, async (runner) => await runner.permit(name));
    },
    async callTool({ name, arguments: given, meta }, request): Promise<McpToolResult> {
      const result = await run(name, request, async (runner, { adminKeyId }) => {
        return await runner.run(name, given, readCallKey(meta, adminKeyId));
      });
      return { content: [{ type: "text", text: JSON.stringify(result) }], structuredContent: result, isError: false };
    },
  });
}
