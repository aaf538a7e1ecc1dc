import { matchesPattern } from "./name-pattern.ts";
import { isWithin, type Networks, parseNetworks } from "./networks.ts";
import type { TokenPrincipal } from "./principal.ts";

/** Limits a token's scopes to some endpoints, tools and networks; null means all. */
export interface TokenReach {
  /** Slugs. */
  readonly endpoints: readonly string[] | null;
  /** Patterns of MCP tools by the names shown to callers; `*` is any number of characters. */
  readonly tools: readonly string[] | null;
  /** Networks from which the token may be used, such as `10.0.0.0/8`. */
  readonly networks: readonly string[] | null;
}

/** Reach without limits: every endpoint and tool, from every network. The default of new tokens. */
export const wholeReach: TokenReach = { endpoints: null, tools: null, networks: null };

/** Bounds of a reach, which the router sends to a service in a header with every request. */
export const reachBounds = {
  endpointsMax: 200,
  toolsMax: 200,
  patternLengthMax: 256,
  networksMax: 100,
  /** Length of the three lists as one JSON text, characters. */
  lengthMax: 6_000,
} as const;

/** Whether a reach sets no limit. */
export function isWholeReach({ endpoints, tools, networks }: TokenReach): boolean {
  return endpoints === null && tools === null && networks === null;
}

/** Whether a principal may call an endpoint. A forbidden one is answered like an absent one. */
export function mayReachEndpoint({ reach }: Pick<TokenPrincipal, "reach">, slug: string): boolean {
  return reach === undefined || reach.endpoints === null || reach.endpoints.includes(slug);
}

/** Whether a principal may see and call an MCP tool, by the name shown to callers: in Gateway mode with its prefix. */
export function mayReachTool({ reach }: Pick<TokenPrincipal, "reach">, name: string): boolean {
  return reach === undefined || reach.tools === null || reach.tools.some((pattern) => matchesPattern(pattern, name));
}

/** Whether a principal may see and call an endpoint as an MCP tool (Bridge mode): both lists apply. */
export function mayReachEndpointAsTool(principal: Pick<TokenPrincipal, "reach">, slug: string): boolean {
  return mayReachEndpoint(principal, slug) && mayReachTool(principal, slug);
}

/** Whether some tools may be out of a principal's reach, so that lists must be made for it. */
export function isToolReachLimited({ reach }: Pick<TokenPrincipal, "reach">): boolean {
  return reach !== undefined && reach.tools !== null;
}

/** Whether a principal may call from a client's IP address; false for a text that is no address where networks are limited. */
export function mayCallFrom({ reach }: Pick<TokenPrincipal, "reach">, ipAddress: string): boolean {
  return reach === undefined || reach.networks === null || isWithin(networksOf(reach), ipAddress);
}

const parsed = new WeakMap<TokenReach, Networks>();

/** Parsed once per object: the router's cache returns the same object until it changes. */
function networksOf(reach: TokenReach): Networks {
  const known = parsed.get(reach);
  if (known !== undefined) return known;
  const { networks } = parseNetworks(reach.networks ?? []);
  parsed.set(reach, networks);
  return networks;
}
