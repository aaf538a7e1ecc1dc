/** Address of a service: a name or IP address, and a port. */
export interface PeerAddress {
  readonly host: string;
  readonly port: number;
}

const portMax = 65_535;

/**
 * Parses `host:port`, or several separated by commas; IPv6 addresses are in brackets.
 * @returns undefined when one is invalid, or there is none.
 */
export function parsePeerAddresses(text: string): readonly PeerAddress[] | undefined {
  const addresses: PeerAddress[] = [];
  for (const entry of text.split(",")) {
    const match = /^(?:\[([0-9a-f:.]+)\]|([^\s:/[\]]+)):(\d{1,5})$/i.exec(entry.trim());
    const host = match?.[1] ?? match?.[2];
    const port = Number(match?.[3]);
    if (host === undefined || port < 1 || port > portMax) return undefined;
    addresses.push({ host, port });
  }
  return addresses;
}

/** Text of an address, as {@link parsePeerAddresses} reads it: an IPv6 address is in brackets. */
export function formatPeerAddress({ host, port }: PeerAddress): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Parses `http://host:port`, or several separated by commas, of one scheme. @returns undefined when it is invalid. */
export function parsePeerUrl(
  text: string,
): { scheme: "http" | "https"; addresses: readonly PeerAddress[] } | undefined {
  const urls = text.split(",").map((entry) => (URL.canParse(entry.trim()) ? new URL(entry.trim()) : undefined));
  const [first] = urls;
  const scheme = first?.protocol === "https:" ? "https" : "http";
  if (urls.some((url) => url?.protocol !== `${scheme}:` || url.pathname !== "/" || url.search !== "")) return undefined;
  const hosts = urls.map((url) =>
    url?.port === "" ? `${url.host}:${scheme === "https" ? 443 : 80}` : (url?.host ?? ""),
  );
  const addresses = parsePeerAddresses(hosts.join(","));
  return addresses === undefined ? undefined : { scheme, addresses };
}
