import { BlockList } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * Independent reference: ipaddr.js parses the address and knows the registries' ranges, Node's BlockList has the rest. Slower,
 * and not sufficient as a guard.
 */
export function isPublicByReference(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  return address instanceof ipaddr.IPv4 ? isPublicV4(address) : isPublicV6(address);
}

/** Globally reachable although in a special range: AS112 (RFC 7534, RFC 7535) and AMT relays (RFC 7450). */
const reachableRanges = new Set(["unicast", "as112", "amt"]);

const others = new BlockList();
others.addAddress("168.63.129.16");
others.addSubnet("192.88.99.0", 24);
others.addSubnet("198.18.0.0", 15);
others.addSubnet("2001::", 23, "ipv6");
others.addSubnet("2001:db8::", 32, "ipv6");
others.addSubnet("2002::", 16, "ipv6");
others.addSubnet("3fff::", 20, "ipv6");

const globalUnicast = new BlockList();
globalUnicast.addSubnet("2000::", 3, "ipv6");

function isPublicV4(address: ipaddr.IPv4): boolean {
  return reachableRanges.has(address.range()) && !others.check(address.toString(), "ipv4");
}

function isPublicV6(address: ipaddr.IPv6): boolean {
  const text = address.toNormalizedString();
  const [, , , , ids, protocol] = address.parts;
  const isIsatap = protocol === 0x5efe && (ids === 0 || ids === 0x200);
  return globalUnicast.check(text, "ipv6") && !others.check(text, "ipv6") && !isIsatap;
}
