import { mayReachEndpoint, mayReachEndpointAsTool } from "@gatehouse/principal";
import { endpointNotFound } from "@gatehouse/slugs";
import { type Call, required } from "../call.ts";
import type { CompiledEndpoint } from "../endpoint.ts";
import type { Step, Verdict } from "../pipeline.ts";

/** Finds an active endpoint of a project; without a promise where it is known already. */
export type FindEndpoint = (
  projectUuid: string,
  slug: string,
) => CompiledEndpoint | undefined | Promise<CompiledEndpoint | undefined>;

/**
 * The endpoint exists, is active and within the token's reach (404); as an MCP tool only one that is exposed as such exists.
 */
export function createEndpointStep(findEndpoint: FindEndpoint): Step {
  return {
    name: "endpoint",
    enter(call) {
      const { slug } = required(call.request, "the request");
      if (!isReachable(call, slug)) return endpointNotFound(slug);
      const found = findEndpoint(call.principal.project.uuid, slug);
      return found instanceof Promise ? found.then((late) => take(call, slug, late)) : take(call, slug, found);
    },
  };
}

function take(call: Call, slug: string, found: CompiledEndpoint | undefined): Verdict {
  if (found !== undefined && isOffered(call, found)) {
    call.compiled = found;
    return undefined;
  }
  return endpointNotFound(slug);
}

function isReachable({ surface, principal }: Call, slug: string): boolean {
  return surface === "mcp.bridge" ? mayReachEndpointAsTool(principal, slug) : mayReachEndpoint(principal, slug);
}

function isOffered({ surface }: Call, { endpoint }: CompiledEndpoint): boolean {
  return surface !== "mcp.bridge" || endpoint.exposeAsMcpTool;
}
