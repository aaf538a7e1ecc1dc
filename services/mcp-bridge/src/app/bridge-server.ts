import {
  type FreeLists,
  type McpServer,
  type McpTool,
  type McpToolCall,
  toTextResult,
  unknownTool,
} from "@gatehouse/mcp";
import { mayReachEndpointAsTool } from "@gatehouse/principal";
import type { BridgeContext, ChatOutcome, Complete } from "../domain/chat-call.ts";
import { findArgumentProblem, toCallError } from "../domain/tool-outcome.ts";
import type { ToolCatalogue } from "./tool-catalogue.ts";

/** Counts a list that is not free against the rate limits of project and token. @throws GatewayError `rate_limited` */
type CountList = (context: BridgeContext) => Promise<void>;

interface BridgeServerOptions {
  readonly serviceName: string;
  readonly catalogue: Pick<ToolCatalogue, "list">;
  readonly complete: Complete;
  readonly lists: FreeLists;
  readonly countList: CountList;
  /** Called for each call that chat has answered, and so recorded. */
  readonly onRecorded: (context: BridgeContext) => void;
}

/** Serves a project's endpoints as MCP tools; a call runs the whole chat pipeline. */
export function createBridgeServer(options: BridgeServerOptions): McpServer<BridgeContext> {
  const { serviceName, catalogue, complete, lists, countList, onRecorded } = options;
  const list = async (context: BridgeContext) => {
    const { principal } = context;
    if (!lists.take(principal.tokenId)) await countList(context);
    const tools = await catalogue.list(principal.project.uuid);
    return principal.reach === undefined ? tools : tools.filter(({ name }) => mayReachEndpointAsTool(principal, name));
  };
  return {
    name: serviceName,
    listTools: list,
    async callTool(call, context) {
      const outcome = await runCall(call, context, list, complete);
      onRecorded(context);
      if (outcome.kind === "refused") throw toCallError(outcome.error, call.name);
      return toTextResult(outcome.text);
    },
  };
}

/** Chat decides which tools the token may call, so a valid call needs no look-up in the catalogue. */
async function runCall(
  { name, arguments: body }: McpToolCall,
  context: BridgeContext,
  list: (context: BridgeContext) => Promise<readonly McpTool[]>,
  complete: Complete,
): Promise<ChatOutcome> {
  const { principal, requestId, ipAddress, traceparent, user, signal } = context;
  const problem = findArgumentProblem(body);
  if (problem === undefined) {
    return await complete({ principal, requestId, ipAddress, traceparent, user, slug: name, body }, signal);
  }
  // For an unknown tool, the error is not about its arguments.
  const tools = await list(context);
  throw tools.some((tool) => tool.name === name) ? problem : unknownTool(name);
}
