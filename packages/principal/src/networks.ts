import { BlockList, isIP } from "node:net";

/** Set of IPv4 and IPv6 networks from {@link parseNetworks}, for {@link isWithin}. */
export type Networks = Pick<BlockList, "check">;

interface ParsedNetworks {
  readonly networks: Networks;
  /** Entries that are not networks. */
  readonly bad: readonly string[];
}

/** Parses networks and addresses: `10.0.0.0/8`, `2001:db8::1`. */
export function parseNetworks(entries: Iterable<string>): ParsedNetworks {
  const networks = new BlockList();
  const bad = [...entries].filter((entry) => !addNetwork(networks, entry));
  return { networks, bad };
}

/** Whether one of the networks contains an address; false for a text that is not an address. */
export function isWithin(networks: Networks, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && networks.check(address, family === 4 ? "ipv4" : "ipv6");
}

function addNetwork(list: BlockList, entry: string): boolean {
  const [address = "", bits, ...rest] = entry.split("/");
  const family = isIP(address);
  if (family === 0 || address.includes("%") || rest.length > 0) return false;
  const bitsMax = family === 4 ? 32 : 128;
  const prefix = bits === undefined ? bitsMax : /^\d{1,3}$/.test(bits) ? Number(bits) : Infinity;
  if (prefix > bitsMax) return false;
  list.addSubnet(address, prefix, family === 4 ? "ipv4" : "ipv6");
  return true;
}
