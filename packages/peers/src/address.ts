/** Where a service may be reached: a name or an IP address, and a port. */
export interface PeerAddress {
  readonly host: string;
  readonly port: number;
}

const portMax = 65_535;

/**
 * Reads `host:port`, or several of them separated by commas; IPv6 addresses stand in brackets.
 * @returns undefined when one of them is no such address, or when there is none.
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

/** Writes an address as `parsePeerAddresses` reads it. */
export function formatPeerAddress({ host, port }: PeerAddress): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/**
 * Reads `http://host:port`, or several of them separated by commas, of one scheme.
 * @returns undefined when it is no such URL.
 */
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
