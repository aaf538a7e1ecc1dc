import type { ProjectType } from "../../api/types.ts";

/** Fields of endpoints that pass requests on, in the order of the form; these the others do not have. */
const ofApisAlone = ["upstream_url", "allowed_methods", "auth"];
const ofApis: readonly string[] = ["slug", ...ofApisAlone, "description", "timeout_ms"];

/**
 * The settings that endpoints of such a project have, in the order of the form: what is needed first.
 * @param all settings of endpoints, of every type of project
 */
export function endpointArguments(type: ProjectType, all: readonly string[]): readonly string[] {
  if (type === "api_gateway") return ofApis;
  const foreign = ["project", "endpoint", ...ofApisAlone, ...(type === "ai_wrapper" ? ["expose_as_mcp_tool"] : [])];
  return all.filter((name) => !foreign.includes(name));
}
