import { type Network, parseNetwork } from "./address.ts";

/** Addresses closed for one reason. `what` completes "not a public address (…)". */
export interface AddressRow {
  readonly network: Network;
  readonly what: string;
}

/**
 * Closed IPv4 addresses: those that the IANA special-purpose registry (RFC 6890) marks as not globally reachable, multicast and
 * reserved space, and one address that only looks public.
 */
export const closedIpv4: readonly AddressRow[] = [
  row("0.0.0.0/8", "this network"),
  row("10.0.0.0/8", "private network"),
  row("100.64.0.0/10", "carrier-grade NAT"),
  row("127.0.0.0/8", "loopback"),
  row("168.63.129.16/32", "cloud host agent"),
  row("169.254.0.0/16", "link-local"),
  row("172.16.0.0/12", "private network"),
  row("192.0.0.0/24", "protocol assignments"),
  row("192.0.2.0/24", "documentation"),
  row("192.88.99.0/24", "6to4 relay"),
  row("192.168.0.0/16", "private network"),
  row("198.18.0.0/15", "benchmarking"),
  row("198.51.100.0/24", "documentation"),
  row("203.0.113.0/24", "documentation"),
  row("224.0.0.0/4", "multicast"),
  row("240.0.0.0/4", "reserved"),
];

/** The only IPv6 space allocated as public (IANA IPv6 address space). Everything outside is closed. */
export const publicIpv6 = row("2000::/3", "outside public space").network;

/** Ranges closed inside {@link publicIpv6}. */
export const closedIpv6: readonly AddressRow[] = [
  row("2001::/23", "protocol assignments"),
  row("2001:db8::/32", "documentation"),
  row("2002::/16", "6to4"),
  row("3fff::/20", "documentation"),
];

/** Valid on one link only (RFC 3927, RFC 4291): used for metadata services of clouds, never by a model provider. */
export const linkLocal: readonly AddressRow[] = [row("169.254.0.0/16", "link-local"), row("fe80::/10", "link-local")];

/**
 * Ranges that no setting opens. Metadata services of clouds give credentials to any internal caller, and the unspecified address,
 * multicast and broadcast reach hosts other than the address that was checked.
 */
export const floor: readonly AddressRow[] = [
  row("0.0.0.0/8", "unspecified"),
  row("224.0.0.0/4", "multicast"),
  row("255.255.255.255/32", "broadcast"),
  row("100.100.100.200/32", "cloud metadata"),
  row("168.63.129.16/32", "cloud host agent"),
  row("169.254.0.23/32", "cloud metadata"),
  row("169.254.42.42/32", "cloud metadata"),
  row("169.254.169.0/24", "cloud metadata"),
  row("169.254.170.0/24", "cloud metadata"),
  row("192.0.0.192/32", "cloud metadata"),
  row("::/128", "unspecified"),
  row("ff00::/8", "multicast"),
  row("fd00:42::42/128", "cloud metadata"),
  row("fd00:c1::a9fe:a9fe/128", "cloud metadata"),
  row("fd00:ec2::/64", "cloud metadata"),
  row("fd20:ce::/64", "cloud metadata"),
  row("fe80::a9fe:a9fe/128", "cloud metadata"),
];

function row(text: string, what: string): AddressRow {
  const network = parseNetwork(text);
  if (network === undefined) throw new TypeError(`The table has a bad network: ${text}`);
  return { network, what };
}
