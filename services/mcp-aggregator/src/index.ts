export { createMcpAggregatorService, type McpAggregatorOverrides } from "./app.ts";
export { type McpAggregatorConfig, readMcpAggregatorConfig, type UpstreamBoundsConfig } from "./config.ts";
