import type { IncomingMessage } from "node:http";

/**
 * Whether a request names its host more than once, which must be answered 400 (RFC 9112, section 3.2): a proxy in front may take
 * another one than the first, as Node does.
 */
export function hasSeveralHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (isHost(rawHeaders[at])) hosts += 1;
  return hosts > 1;
}

function isHost(name: string | undefined): boolean {
  return name?.length === 4 && name.toLowerCase() === "host";
}
