import type { ProjectType } from "../api/types.ts";

/** The kinds of project in words. */
export const projectTypeLabels: Readonly<Record<ProjectType, string>> = {
  ai_gateway: "AI Gateway",
  ai_wrapper: "AI Wrapper",
  api_gateway: "API Gateway",
  mcp_gateway: "MCP Gateway",
};
