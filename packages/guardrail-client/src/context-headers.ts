import type { IncomingHttpHeaders } from "node:http";

/** Headers of one call that rules may ask for. */
const headersMax = 16;
/** Characters of one; a longer one is left out. */
const valueLengthMax = 256;
/** Set by proxies and by this gateway, or credentials. */
const withheld = /^x-(?:forwarded-|gatehouse-|real-ip|request-id|api-key|auth|amzn-|goog-|csrf)|token|secret|signature/;

/** The headers that rules of a policy may ask for: `user-agent` and such as begin with `x-`, but for credentials. */
export function contextHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  const shown: Record<string, string> = {};
  let count = 0;
  for (const [name, value] of Object.entries(headers)) {
    if (name !== "user-agent" && !name.startsWith("x-")) continue;
    if (typeof value !== "string" || value.length > valueLengthMax || withheld.test(name)) continue;
    shown[name] = value;
    count += 1;
    if (count === headersMax) break;
  }
  return shown;
}
