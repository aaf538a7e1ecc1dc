/** An address as bytes in network order: 4 for IPv4, 16 for IPv6. */
export type AddressBytes = Uint8Array;

/** All addresses that begin with the first `prefixBits` bits of `bytes`. */
export interface Network {
  readonly bytes: AddressBytes;
  readonly prefixBits: number;
}

const addressTextLengthMax = 45;

/**
 * Parses dotted-quad IPv4 (four decimal numbers, no leading zeros) or RFC 4291 IPv6, without brackets. Undefined for everything
 * else: short, octal and hexadecimal IPv4, zone ids, overlong texts.
 */
export function parseAddress(text: string): AddressBytes | undefined {
  if (text.length > addressTextLengthMax) return undefined;
  return text.includes(":") ? parseIpv6(text) : parseIpv4(text);
}

/** Parses `address` or `address/bits`. Bits after the prefix are ignored, as in `192.168.1.7/24`. */
export function parseNetwork(text: string): Network | undefined {
  const [addressText = "", bitsText, ...rest] = text.split("/");
  const bytes = parseAddress(addressText);
  if (bytes === undefined || rest.length > 0) return undefined;
  const bitsMax = bytes.length * 8;
  if (bitsText === undefined) return { bytes, prefixBits: bitsMax };
  const prefixBits = /^\d{1,3}$/.test(bitsText) ? Number(bitsText) : Number.NaN;
  return prefixBits <= bitsMax ? { bytes, prefixBits } : undefined;
}

/** Whether the network contains the address. IPv4 and IPv6 never contain each other. */
export function isInNetwork(address: AddressBytes, { bytes, prefixBits }: Network): boolean {
  if (address.length !== bytes.length) return false;
  const wholeBytes = prefixBits >> 3;
  for (let i = 0; i < wholeBytes; i += 1) if (address[i] !== bytes[i]) return false;
  const restBits = prefixBits & 7;
  if (restBits === 0) return true;
  return ((address[wholeBytes] ?? 0) ^ (bytes[wholeBytes] ?? 0)) >> (8 - restBits) === 0;
}

/** Converts `::ffff:a.b.c.d` to the IPv4 address a.b.c.d, as sockets do. Other addresses are returned unchanged. */
export function unwrapMapped(address: AddressBytes): AddressBytes {
  return isMapped(address) ? address.subarray(12) : address;
}

/** Whether two addresses are equal, a mapped address being equal to its IPv4 address. */
export function isSameAddress(one: AddressBytes, other: AddressBytes): boolean {
  const bytes = unwrapMapped(other);
  return isInNetwork(unwrapMapped(one), { bytes, prefixBits: bytes.length * 8 });
}

function isMapped(address: AddressBytes): boolean {
  if (address.length !== 16 || address[10] !== 0xff || address[11] !== 0xff) return false;
  for (let i = 0; i < 10; i += 1) if (address[i] !== 0) return false;
  return true;
}

function parseIpv4(text: string): AddressBytes | undefined {
  const parts = text.split(".");
  if (parts.length !== 4) return undefined;
  const bytes = new Uint8Array(4);
  for (const [i, part] of parts.entries()) {
    if (!/^(?:0|[1-9]\d{0,2})$/.test(part)) return undefined;
    const value = Number(part);
    if (value > 255) return undefined;
    bytes[i] = value;
  }
  return bytes;
}

function parseIpv6(text: string): AddressBytes | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const [head, tail] = [parseGroups(halves[0] ?? "", halves.length === 1), parseGroups(halves[1] ?? "", true)];
  if (head === undefined || tail === undefined) return undefined;
  const length = head.length + tail.length;
  // A double colon replaces at least one group of zeros.
  if (halves.length === 1 ? length !== 16 : length > 14) return undefined;
  const bytes = new Uint8Array(16);
  bytes.set(head, 0);
  bytes.set(tail, 16 - tail.length);
  return bytes;
}

/** Bytes of groups separated by single colons. The last one may be a dotted quad where the text ends the address. */
function parseGroups(text: string, endsAddress: boolean): number[] | undefined {
  if (text === "") return [];
  const bytes: number[] = [];
  const groups = text.split(":");
  for (const [i, group] of groups.entries()) {
    if (group.includes(".")) {
      const quad = endsAddress && i === groups.length - 1 ? parseIpv4(group) : undefined;
      if (quad === undefined) return undefined;
      bytes.push(...quad);
      continue;
    }
    if (!/^[0-9a-f]{1,4}$/i.test(group)) return undefined;
    const value = Number.parseInt(group, 16);
    bytes.push(value >> 8, value & 0xff);
  }
  return bytes;
}
