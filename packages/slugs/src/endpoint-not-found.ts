import { GatewayError } from "@gatehouse/errors";

/** Characters of a caller's name that a message repeats: one more than a slug may have. */
const quotedCharsMax = 64;

/** No active endpoint has this name, which comes from a caller and may be anything. */
export function endpointNotFound(name: string): GatewayError {
  const quoted = name.length <= quotedCharsMax ? name : `${name.slice(0, quotedCharsMax).toWellFormed()}…`;
  return new GatewayError("endpoint_not_found", `Endpoint '${quoted}' not found or inactive.`);
}
