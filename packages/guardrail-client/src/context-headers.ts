import type { IncomingHttpHeaders } from "node:http";

/** Most headers of one call for rules. */
const headersMax = 16;
/** Longest value; longer ones are left out. */
const valueLengthMax = 256;
/** Headers set by proxies and by this gateway, and credentials. */
const withheld = /^x-(?:forwarded-|gatehouse-|real-ip|request-id|api-key|auth|amzn-|goog-|csrf)|token|secret|signature/;

/** Headers available to a policy's rules: `user-agent` and names with `x-`, except credentials. */
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
