import type { IncomingHttpHeaders } from "node:http";

/** Most headers of one call for rules. */
const headersMax = 16;
/** Longest value; longer ones are left out. */
const valueLengthMax = 256;
/** Headers set by proxies and by this gateway, and credentials. */
const withheld = /^x-(?:forwarded-|gatehouse-|real-ip|request-id|api-key|auth|amzn-|goog-|csrf)|token|secret|signature/;

/** Whether a policy's rules may read a header, by its name in lower case: `user-agent` and names with `x-`, except those withheld. */
export function isContextHeader(name: string): boolean {
  return name === "user-agent" || (name.startsWith("x-") && !withheld.test(name));
}

/** Headers available to a policy's rules. */
export function contextHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  const shown: Record<string, string> = {};
  let count = 0;
  for (const [name, value] of Object.entries(headers)) {
    if (!isContextHeader(name) || typeof value !== "string" || value.length > valueLengthMax) continue;
    shown[name] = value;
    count += 1;
    if (count === headersMax) break;
  }
  return shown;
}
