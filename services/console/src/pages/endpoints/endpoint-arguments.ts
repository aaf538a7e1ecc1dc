import type { ProjectType } from "../../api/types.ts";

/** Fields that only API Gateway endpoints have, in the order of the form. */
const ofApisAlone = ["upstream_url", "allowed_methods", "auth"];
const ofApis: readonly string[] = ["slug", ...ofApisAlone, "description", "timeout_ms"];

/**
 * Settings of endpoints in projects of a type, in the order of the form: required ones first.
 * @param all settings of endpoints, of every project type
 */
export function endpointArguments(type: ProjectType, all: readonly string[]): readonly string[] {
  if (type === "api_gateway") return ofApis;
  const foreign = ["project", "endpoint", ...ofApisAlone, ...(type === "ai_wrapper" ? ["expose_as_mcp_tool"] : [])];
  return all.filter((name) => !foreign.includes(name));
}
