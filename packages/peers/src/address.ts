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
