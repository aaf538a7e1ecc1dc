import { gatehouseVersion } from "@gatehouse/config";
import { GatewayError, invalidArgument } from "@gatehouse/errors";
import { isJsonObject, type JsonObject } from "@gatehouse/json";
import { excerpt, type JsonRpcDispatcher, type JsonRpcParams, JsonText } from "@gatehouse/json-rpc";

/** Answered for any version that the client proposes. */
const mcpProtocolVersion = "2024-11-05";
/** `serverInfo.version` of every MCP server. */
export const mcpServerVersion = gatehouseVersion;

/** Methods with the same answer for every request of a batch. */
export const mcpSharedMethods: ReadonlySet<string> = new Set(["tools/list"]);

const quotedLengthMax = 200;

/** Tool in the form of `tools/list`; `inputSchema` is JSON Schema and is not checked here. */
export interface McpTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
}

/** `params` of `tools/call`, checked for their form only. */
export interface McpToolCall {
  readonly name: string;
  /** Empty where the caller sent none. */
  readonly arguments: JsonObject;
  /** `_meta`; undefined where the caller sent none, or no object. */
  readonly meta?: JsonObject | undefined;
}

/** At least `content` and `isError`; other members are passed on unchanged. */
export interface McpToolResult {
  readonly content: readonly JsonObject[];
  readonly isError: boolean;
  readonly [member: string]: unknown;
}

/** Tools of one project; {@link createMcpDispatcher} adds the protocol. */
export interface McpServer<Context> {
  /** `serverInfo.name`. */
  readonly name: string;
  /** All tools, in a one-page reply. A {@link JsonText} is the whole result, `{"tools":[…]}`. */
  listTools(context: Context): Promise<readonly McpTool[] | JsonText>;
  /** Decides by name whether a tool may be called, before the arguments are read. @throws GatewayError */
  permitTool?(name: string, context: Context): Promise<void>;
  /** @throws {@link unknownTool} for an unknown name. */
  callTool(call: McpToolCall, context: Context): Promise<McpToolResult | JsonText>;
}

/** The five methods of every MCP surface of the gateway; other methods are unknown (-32601). */
export function createMcpDispatcher<Context>(server: McpServer<Context>): JsonRpcDispatcher<Context> {
  return async (method, params, context) => {
    switch (method) {
      case "initialize":
        return {
          protocolVersion: mcpProtocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: server.name, version: mcpServerVersion },
        };
      case "ping":
      case "notifications/initialized":
        return {};
      case "tools/list":
        return toResult(await server.listTools(context));
      case "tools/call":
        return await callTool(server, params, context);
      default:
        throw new GatewayError("unknown_method", `Method not found: ${excerpt(method, quotedLengthMax)}`);
    }
  };
}

function toResult(tools: readonly McpTool[] | JsonText): unknown {
  return tools instanceof JsonText ? tools : { tools };
}

/** `Unknown tool: <name>` (-32602). */
export function unknownTool(name: string): GatewayError {
  return invalidArgument(`Unknown tool: ${excerpt(name, quotedLengthMax)}`);
}

async function callTool<Context>(server: McpServer<Context>, params: JsonRpcParams, context: Context) {
  if (params !== undefined && !isJsonObject(params)) throw invalidArgument("params must be object");
  const { name, arguments: given, _meta: meta } = params ?? {};
  if (name === undefined || name === null) throw invalidArgument("Missing required argument: name");
  if (typeof name !== "string") throw invalidArgument("name must be string");
  await server.permitTool?.(name, context);
  const toolArguments = given ?? {};
  if (!isJsonObject(toolArguments)) throw invalidArgument("arguments must be object");
  return await server.callTool(
    { name, arguments: toolArguments, meta: isJsonObject(meta) ? meta : undefined },
    context,
  );
}
