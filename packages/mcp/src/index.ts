export { freeListsPerMinute, FreeLists } from "./free-lists.ts";
export {
  createMcpDispatcher,
  type McpServer,
  mcpServerVersion,
  type McpTool,
  type McpToolCall,
  type McpToolResult,
  unknownTool,
} from "./mcp-dispatcher.ts";
export { createMcpHandler, type McpExchange, type McpHandlerOptions } from "./mcp-handler.ts";
export { createProjectDispatcher, toTextResult } from "./project-dispatcher.ts";
export { createProjectMcpHandler, type McpCaller, type ProjectMcpHandlerOptions } from "./project-mcp-handler.ts";
export {
  createRecordOutcome,
  nameOfTool,
  type RecordOutcome,
  type RequestOutcome,
  toLoggedRefusal,
} from "./request-outcome.ts";
