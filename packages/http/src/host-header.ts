import type { IncomingMessage } from "node:http";

/**
 * The code of the failure of a request whose Host is not exactly one, which must be answered 400 (RFC 9112, section 3.2): of several, a
 * proxy in front may take another one than the first, as Node does. HTTP/1.0 knows no Host.
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
