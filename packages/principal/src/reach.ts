import { matchesPattern } from "./name-pattern.ts";
import { isWithin, type Networks, parseNetworks } from "./networks.ts";
import type { TokenPrincipal } from "./principal.ts";

/** Narrows a token's scopes to some endpoints, tools and networks; null is all of them. */
export interface TokenReach {
  /** Slugs. */
  readonly endpoints: readonly string[] | null;
  /** Patterns of MCP tools by the names that callers see; `*` stands for any characters, also for none. */
  readonly tools: readonly string[] | null;
  /** Where the token may be used from, such as `10.0.0.0/8`. */
  readonly networks: readonly string[] | null;
}

/** No limit: every endpoint, tool and network. */
export const wholeReach: TokenReach = { endpoints: null, tools: null, networks: null };

/** Bounds of a reach: the router sends it to a service in a header with every request. */
export const reachBounds = {
  endpointsMax: 200,
  toolsMax: 200,
  patternLengthMax: 256,
  networksMax: 100,
  /** Length of the three lists as one JSON text, characters. */
  lengthMax: 6_000,
} as const;

/** Whether a reach sets no limit at all. */
export function isWholeReach({ endpoints, tools, networks }: TokenReach): boolean {
  return endpoints === null && tools === null && networks === null;
}

/** Whether a principal's calls may go to an endpoint. One that they may not go to is answered as one that does not exist. */
export function mayReachEndpoint({ reach }: Pick<TokenPrincipal, "reach">, slug: string): boolean {
  return reach === undefined || reach.endpoints === null || reach.endpoints.includes(slug);
}

/** Whether a principal may see and call an MCP tool, by the name that callers see: in Gateway mode with its prefix. */
export function mayReachTool({ reach }: Pick<TokenPrincipal, "reach">, name: string): boolean {
  return reach === undefined || reach.tools === null || reach.tools.some((pattern) => matchesPattern(pattern, name));
}

/** Whether a principal may see and call an endpoint as an MCP tool (Bridge mode): both lists hold there. */
export function mayReachEndpointAsTool(principal: Pick<TokenPrincipal, "reach">, slug: string): boolean {
  return mayReachEndpoint(principal, slug) && mayReachTool(principal, slug);
}

/** Whether some tool may be out of a principal's reach, so that lists must be made for it. */
export function isToolReachLimited({ reach }: Pick<TokenPrincipal, "reach">): boolean {
  return reach !== undefined && reach.tools !== null;
}

/** Whether a principal may call from an address. */
export function mayCallFrom({ reach }: Pick<TokenPrincipal, "reach">, ipAddress: string): boolean {
  return reach === undefined || reach.networks === null || isWithin(networksOf(reach), ipAddress);
}

const parsed = new WeakMap<TokenReach, Networks>();

/** The router's cache gives out one object for as long as nothing changes. */
function networksOf(reach: TokenReach): Networks {
  const known = parsed.get(reach);
  if (known !== undefined) return known;
  const { networks } = parseNetworks(reach.networks ?? []);
  parsed.set(reach, networks);
  return networks;
}
