import { isGatewayError } from "@gatehouse/errors";
import {
  type JsonObject,
  type McpServer,
  type McpToolCall,
  type McpToolResult,
  unknownTool,
} from "@gatehouse/json-rpc";
import type { TokenPrincipal } from "@gatehouse/principal";
import type { ToolCatalogue } from "./tool-catalogue.ts";
import { findArgumentProblem, toRefusedResult, toTextResult } from "./tool-outcome.ts";

/** One HTTP request, which may carry several calls. */
export interface BridgeContext {
  readonly principal: TokenPrincipal;
  readonly requestId: string;
  readonly ipAddress: string;
  readonly traceparent: string | undefined;
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal;
}

export interface ChatCall extends Omit<BridgeContext, "signal"> {
  readonly slug: string;
  readonly body: JsonObject;
}

/** Runs the chat pipeline and answers with the model's text. @throws GatewayError the pipeline's refusal. */
export type Complete = (call: ChatCall, signal: AbortSignal) => Promise<string>;

export interface BridgeServerOptions {
  readonly serviceName: string;
  readonly catalogue: Pick<ToolCatalogue, "list">;
  readonly complete: Complete;
}

/** The endpoints of a project as MCP tools; a call runs the whole chat pipeline (interface specification, Bridge mode). */
export function createBridgeServer({
  serviceName,
  catalogue,
  complete,
}: BridgeServerOptions): McpServer<BridgeContext> {
  return {
    name: serviceName,
    listTools: async ({ principal, signal }) => await catalogue.list(principal.project.uuid, signal),
    async callTool(call, context) {
      const problem = findArgumentProblem(call.arguments);
      if (problem === undefined) return await runCall(call, context, complete);
      const tools = await catalogue.list(context.principal.project.uuid, context.signal);
      throw tools.some(({ name }) => name === call.name) ? problem : unknownTool(call.name);
    },
  };
}

/** Chat itself knows which endpoints are tools, so a call costs no look at the catalogue. */
async function runCall(call: McpToolCall, context: BridgeContext, complete: Complete): Promise<McpToolResult> {
  const { signal, ...caller } = context;
  try {
    return toTextResult(await complete({ ...caller, slug: call.name, body: call.arguments }, signal));
  } catch (err) {
    if (!isGatewayError(err)) throw err;
    return toRefusedResult(err, call.name);
  }
}
