import type { Project } from "../../api/types.ts";
import { baseUrlOf, type CalledEndpoint, firstCurlFor, tokenVariable } from "../../parts/snippets.ts";

/** URL of a trace; undefined without a template. */
export function traceUrlOf(template: string, traceId: string): string | undefined {
  return /^https?:\/\//.test(template) ? template.replaceAll("{trace_id}", encodeURIComponent(traceId)) : undefined;
}

/** A first call on a logged route, since bodies are not stored. Undefined for routes without one. */
export function curlOf(project: Project, route: string, endpoint: CalledEndpoint | undefined): string | undefined {
  if (route === "mcp_bridge" || route === "mcp_gateway") {
    const url = route === "mcp_bridge" ? `${baseUrlOf(project)}/mcp` : baseUrlOf(project);
    const body = '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}';
    return `curl -s ${url} \\\n  -H "Authorization: Bearer ${tokenVariable}" -H 'Content-Type: application/json' \\\n  -d '${body}'`;
  }
  return endpoint === undefined ? undefined : firstCurlFor(project, endpoint);
}
