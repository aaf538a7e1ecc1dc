import { andThen } from "@gatehouse/async";
import { mayReachEndpoint, mayReachEndpointAsTool } from "@gatehouse/principal";
import { endpointNotFound } from "@gatehouse/slugs";
import type { CompiledEndpoint } from "../../domain/endpoint.ts";
import type { Admitted, Read } from "../call.ts";
import type { Step, Verdict } from "../pipeline.ts";

/** Finds an active endpoint of a project; synchronous where it is cached. */
export type FindEndpoint = (
  projectUuid: string,
  slug: string,
) => CompiledEndpoint | undefined | Promise<CompiledEndpoint | undefined>;

type Compiled = Pick<Admitted, "compiled">;

/** Requires an active endpoint that the token may call (404); for MCP tool calls, one that is exposed as a tool. */
export function createEndpointStep(findEndpoint: FindEndpoint): Step<Read, Compiled> {
  return {
    name: "endpoint",
    enter(call) {
      const { slug } = call.request;
      if (!isReachable(call, slug)) return endpointNotFound(slug);
      return andThen(findEndpoint(call.principal.project.uuid, slug), (found) => take(call, slug, found));
    },
  };
}

function take(call: Read, slug: string, found: CompiledEndpoint | undefined): Verdict<Compiled> {
  return found !== undefined && isOffered(call, found) ? { compiled: found } : endpointNotFound(slug);
}

function isReachable({ surface, principal }: Read, slug: string): boolean {
  return surface === "mcp.bridge" ? mayReachEndpointAsTool(principal, slug) : mayReachEndpoint(principal, slug);
}

function isOffered({ surface }: Read, { endpoint }: CompiledEndpoint): boolean {
  return surface !== "mcp.bridge" || endpoint.exposeAsMcpTool;
}
