export { createMcpAggregatorService, type McpAggregatorOverrides } from "./app.ts";
export {
  type McpAggregatorConfig,
  type McpAggregatorMemberConfig,
  readMcpAggregatorConfig,
  type UpstreamBoundsConfig,
} from "./config.ts";
export { mcpAggregatorProgram } from "./program.ts";
