import { GatewayError } from "@gatehouse/errors";

/** Names of endpoints, in paths, aliases and tools. */
export const slugPattern = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** The rule for refusals and schemas. */
export const slugRule = "1 to 63 characters of a-z, 0-9 and '-', and must not start with '-'";

/** Path segments used by the product's routes. */
export const reservedSlugs: ReadonlySet<string> = new Set(["chat", "mcp", "v1"]);

/** Whether an endpoint could have this name. Other names are absent without a look-up. */
export function isSlug(name: string): boolean {
  return slugPattern.test(name);
}

/** Error `already_exists` (409) for a creation or rename: another endpoint of the project, active or not, has the slug. */
export function slugTaken(slug: string): GatewayError {
  return new GatewayError("already_exists", `Endpoint already exists in this project: ${slug}`);
}

/** Characters of a caller's name in a message: one more than a slug may have. */
const quotedCharsMax = 64;

/** No active endpoint has this name, which is a caller's text. */
export function endpointNotFound(name: string): GatewayError {
  const quoted = name.length <= quotedCharsMax ? name : `${name.slice(0, quotedCharsMax).toWellFormed()}…`;
  return new GatewayError("endpoint_not_found", `Endpoint '${quoted}' not found or inactive.`);
}
