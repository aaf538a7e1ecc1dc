export { createMcpBridgeService, type McpBridgeOverrides } from "./app.ts";
export { type McpBridgeConfig, type McpBridgeMemberConfig, readMcpBridgeConfig } from "./config.ts";
export { mcpBridgeProgram } from "./program.ts";
