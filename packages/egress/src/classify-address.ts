import { type AddressRow, closedIpv4, closedIpv6, floor, publicIpv6 } from "./address-table.ts";
import { type AddressBytes, isInNetwork, parseAddress, unwrapMapped } from "./address.ts";

/** `reason` is a short noun for people, such as `loopback`; it does not repeat the address. */
export type AddressVerdict = { readonly allowed: true } | { readonly allowed: false; readonly reason: string };

const allowed: AddressVerdict = { allowed: true };

/**
 * Decides whether an address is public, from bytes (4 or 16) or text ({@link parseAddress}); unreadable text is refused. IPv4 has
 * a table of closed ranges. IPv6 is closed outside 2000::/3, and within it for the special ranges and for an interface id with an
 * IPv4 address (ISATAP). A mapped address is judged as its IPv4 address.
 */
export function classifyAddress(address: AddressBytes | string): AddressVerdict {
  const bytes = typeof address === "string" ? parseAddress(address) : address;
  if (bytes === undefined) return closed("unreadable address");
  const plain = unwrapMapped(bytes);
  if (plain.length === 4) return verdictOf(closedIpv4, plain);
  if (plain.length !== 16) return closed("unreadable address");
  if (!isInNetwork(plain, publicIpv6)) return verdictOf(floor, plain, "not in public IPv6 space");
  return isIsatap(plain) ? closed("ISATAP") : verdictOf(closedIpv6, plain);
}

/** Decides whether settings may open this address and the IPv4 addresses embedded in it. `more` adds to the floor. */
export function judgeByFloor(address: AddressBytes, more: readonly AddressRow[] = []): AddressVerdict {
  const plain = unwrapMapped(address);
  for (const candidate of [plain, ...carriedIpv4(plain)]) {
    const verdict = verdictOf([...floor, ...more], candidate);
    if (!verdict.allowed) return verdict;
  }
  return allowed;
}

/**
 * IPv4 addresses that a translator or tunnel may extract from an IPv6 address: IPv4-compatible (RFC 4291), IPv4-translated (RFC
 * 2765), NAT64 (RFC 6052, RFC 8215), 6to4 (RFC 3056), Teredo (RFC 4380) and ISATAP (RFC 5214). Empty for all others.
 */
export function carriedIpv4(address: AddressBytes): readonly AddressBytes[] {
  if (address.length !== 16) return [];
  const last = address.subarray(12);
  if (address[0] === 0x20 && address[1] === 0x02) return [address.subarray(2, 6)];
  if (startsWith(address, [0x20, 0x01, 0, 0])) return [address.subarray(4, 8), last.map((byte) => byte ^ 0xff)];
  if (startsWith(address, [0, 0x64, 0xff, 0x9b])) return [last, ...localNat64(address)];
  if (isIsatap(address) || isTranslated(address)) return [last];
  return isCompatible(address) ? [last] : [];
}

function verdictOf(rows: readonly AddressRow[], address: AddressBytes, otherwise?: string): AddressVerdict {
  for (const { network, what } of rows) if (isInNetwork(address, network)) return closed(what);
  return otherwise === undefined ? allowed : closed(otherwise);
}

function closed(reason: string): AddressVerdict {
  return { allowed: false, reason };
}

/** RFC 5214, section 6.1: the interface id begins with 0000:5efe, or 0200:5efe for a global embedded address. */
function isIsatap(address: AddressBytes): boolean {
  return (address[8] === 0 || address[8] === 2) && address[9] === 0 && address[10] === 0x5e && address[11] === 0xfe;
}

function isTranslated(address: AddressBytes): boolean {
  return startsWith(address, [0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0]);
}

/** `::` and `::1` are not IPv4-compatible addresses. */
function isCompatible(address: AddressBytes): boolean {
  return startsWith(address, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]) && !startsWith(address.subarray(12), [0, 0, 0]);
}

/** RFC 6052, section 2.2: under a /48 prefix, the address surrounds byte 8, which is zero. */
function localNat64(address: AddressBytes): AddressBytes[] {
  if (address[5] !== 1 || address[4] !== 0) return [];
  return [Uint8Array.of(address[6] ?? 0, address[7] ?? 0, address[9] ?? 0, address[10] ?? 0)];
}

function startsWith(address: AddressBytes, prefix: readonly number[]): boolean {
  return prefix.every((byte, i) => address[i] === byte);
}
