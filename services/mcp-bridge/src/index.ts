export { createMcpBridgeService, type McpBridgeOverrides } from "./app.ts";
export { type McpBridgeConfig, readMcpBridgeConfig } from "./config.ts";
