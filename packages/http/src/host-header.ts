import type { IncomingMessage } from "node:http";

/**
 * Failure code of a request without exactly one Host, which must be answered 400 (RFC 9112, section 3.2): with several, a proxy
 * in front may use another one than Node, which takes the first. HTTP/1.0 has no Host.
 */
export function hostFailureOf({ rawHeaders, httpVersion }: IncomingMessage): "NO_HOST" | "SEVERAL_HOSTS" | undefined {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (isHost(rawHeaders[at])) hosts += 1;
  if (hosts > 1) return "SEVERAL_HOSTS";
  return hosts === 0 && httpVersion === "1.1" ? "NO_HOST" : undefined;
}

function isHost(name: string | undefined): boolean {
  return name?.length === 4 && name.toLowerCase() === "host";
}
