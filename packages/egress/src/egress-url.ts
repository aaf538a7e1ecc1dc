import { parseAddress } from "./address.ts";
import { ssrfBlocked } from "./egress-error.ts";
import { isHostName, withoutFinalDot } from "./host-name.ts";

/** Longest URL in UTF-16 code units, as written. */
export const urlLengthMax = 2_048;

/** Target of a connection, from {@link targetOf}: the form in which the guard judges it. */
export interface EgressTarget {
  readonly protocol: "http:" | "https:";
  /** A lower-case name without a final dot, or an address without brackets. */
  readonly hostname: string;
  readonly port: number;
}

/**
 * Parses a URL in strict form. Anything about which URL parsers may disagree on the host is refused before parsing: user info,
 * backslashes, control characters and spaces, percent signs in the host, a missing or extra slash.
 * @throws GatewayError `ssrf_blocked`
 */
export function parseStrictUrl(text: string): URL {
  const problem = findFormProblem(text);
  if (problem !== undefined) throw ssrfBlocked(problem);
  const url = URL.parse(text);
  if (url === null) throw ssrfBlocked("The URL is not valid.");
  return url;
}

/**
 * Target of a parsed URL.
 * @throws GatewayError `ssrf_blocked` when its scheme is not http or https, or its host is neither an address nor a host name.
 */
export function targetOf(url: Pick<URL, "protocol" | "hostname" | "port">): EgressTarget {
  const { protocol } = url;
  if (protocol !== "http:" && protocol !== "https:") throw ssrfBlocked("The URL must start with http:// or https://.");
  const hostname = withoutFinalDot(url.hostname.replace(/^\[(.*)\]$/, "$1").toLowerCase());
  if (parseAddress(hostname) === undefined && !isHostName(hostname)) throw ssrfBlocked("The host name is not valid.");
  return { protocol, hostname, port: Number(url.port || (protocol === "https:" ? 443 : 80)) };
}

function findFormProblem(text: string): string | undefined {
  if (text.length > urlLengthMax) return `The URL is longer than ${urlLengthMax} characters.`;
  const authority = /^https?:\/\/([^/?#]*)/i.exec(text)?.[1];
  if (authority === undefined) return "The URL must start with http:// or https://.";
  if (/[\p{Cc}\s\\]/u.test(text)) return "The URL holds a space, a control character or a backslash.";
  if (authority.includes("@")) return "The URL holds a user name or password.";
  if (authority === "" || authority.includes("%")) return "The host name is not valid.";
  return undefined;
}
