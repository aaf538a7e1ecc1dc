import type { ProjectType } from "../../api/types.ts";

const ofModels = [
  "slug",
  "targets",
  "description",
  "system_prompt",
  "parameters",
  "streaming_enabled",
  "expose_as_mcp_tool",
  "monthly_budget_usd",
  "max_request_tokens",
  "input_schema",
  "output_schema",
  "timeout_ms",
  "first_token_timeout_ms",
  "idle_timeout_ms",
  "mid_stream",
  "hold_tokens",
  "allowed_parameters",
] as const;

const ofApis = ["slug", "upstream_url", "allowed_methods", "auth", "description", "timeout_ms"] as const;

/** The settings that endpoints of such a project have, in the order of the form: what is needed first. */
export function endpointArguments(type: ProjectType): readonly string[] {
  if (type === "api_gateway") return ofApis;
  return type === "ai_wrapper" ? ofModels.filter((name) => name !== "expose_as_mcp_tool") : ofModels;
}
