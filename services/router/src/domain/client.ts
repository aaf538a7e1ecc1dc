import { isIP, isIPv6 } from "node:net";
import { BoundedCache } from "@gatehouse/bounded-cache";
import { isWithin, type Networks, parseNetworks } from "@gatehouse/principal";

interface Client {
  /** Without zone; IPv4-mapped addresses as IPv4; empty where the connection is gone. */
  readonly ipAddress: string;
  readonly protocol: "http" | "https";
}

/** Input of `ClientOf`. The forwarding headers count only where `peerAddress` is a trusted proxy's. */
export interface SenderAddress {
  readonly peerAddress: string | undefined;
  /** `X-Forwarded-For` and `X-Forwarded-Proto`, as sent. */
  readonly forwardedFor: string | readonly string[] | undefined;
  readonly forwardedProto: string | readonly string[] | undefined;
}

/** Finds a request's client behind any number of trusted proxies. */
export type ClientOf = (sender: SenderAddress) => Client;

/** Networks of proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` count; undefined: no proxy is trusted. */
export type TrustedProxies = Networks | undefined;

/** Peers whose trust is cached: a search through the networks takes a microsecond. */
const peersMax = 1_000;

/** Hops examined, from the nearest on; chains of trusted proxies are shorter. */
const hopsMax = 16;

interface ParsedProxies {
  readonly proxies: TrustedProxies;
  /** Entries that are not networks, without duplicates. */
  readonly bad: readonly string[];
}

/** Parses networks and addresses separated by commas: `10.0.0.0/8, 2001:db8::1`. */
export function parseTrustedProxies(text: string): ParsedProxies {
  const entries = new Set(text.split(",").map((entry) => entry.trim()));
  entries.delete("");
  const { networks: proxies, bad } = parseNetworks(entries);
  return { proxies: entries.size === bad.length ? undefined : proxies, bad };
}

/**
 * Finds the client of a request: the last address in `X-Forwarded-For`, read from the right, that is not a trusted proxy's. The
 * client itself may have written anything before it.
 */
export function createClientOf(proxies: TrustedProxies): ClientOf {
  if (proxies === undefined) return ({ peerAddress }) => ({ ipAddress: plainAddress(peerAddress), protocol: "http" });
  const trusted = new BoundedCache<string, boolean>(peersMax);
  return ({ peerAddress, forwardedFor, forwardedProto }) => {
    const peer = plainAddress(peerAddress);
    let isKnownProxy = trusted.get(peer);
    if (isKnownProxy === undefined) {
      isKnownProxy = isTrusted(proxies, peer);
      trusted.set(peer, isKnownProxy);
    }
    if (!isKnownProxy) return { ipAddress: peer, protocol: "http" };
    const protocol = last(forwardedProto)?.toLowerCase() === "https" ? "https" : "http";
    return { ipAddress: clientBehind(proxies, peer, forwardedFor), protocol };
  };
}

const mappedPrefix = "::ffff:";

/** Strips the IPv6 zone and the IPv4-mapped prefix, which a dual-stack socket adds. */
export function plainAddress(address: string | undefined): string {
  if (address === undefined) return "";
  const zoneAt = address.indexOf("%");
  const plain = zoneAt < 0 ? address : address.slice(0, zoneAt);
  const isMapped = plain.includes(".") && plain.slice(0, mappedPrefix.length).toLowerCase() === mappedPrefix;
  return isMapped ? plain.slice(mappedPrefix.length) : plain;
}

/** Key by which requests of an address are counted: an owner of an IPv6 address holds its whole /64. */
export function addressKey(ipAddress: string): string {
  // The expression behind `isIPv6` takes longer than the rest of a request's accounts.
  if (!ipAddress.includes(":") || !isIPv6(ipAddress)) return ipAddress;
  const [head = "", tail] = ipAddress.split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array.from({ length: zeros }, () => "0"), ...after].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/64`;
}

/** Whether an address is a trusted proxy's. @param address in the form of `plainAddress` */
export function isTrusted(proxies: TrustedProxies, address: string): boolean {
  return proxies !== undefined && isWithin(proxies, address);
}

function clientBehind(proxies: TrustedProxies, peer: string, forwardedFor: SenderAddress["forwardedFor"]): string {
  if (forwardedFor === undefined) return peer;
  const hops = (typeof forwardedFor === "string" ? forwardedFor : forwardedFor.join(",")).split(",");
  let nearest = peer;
  for (const hop of hops.slice(-hopsMax).toReversed()) {
    const address = plainAddress(withoutPort(hop.trim()));
    // An entry that is not an address ends the chain: nothing to its left can be trusted.
    if (isIP(address) === 0) return nearest;
    nearest = address;
    if (!isTrusted(proxies, address)) return address;
  }
  return nearest;
}

/** Removes the port, which some proxies add: `192.0.2.1:443`, `[2001:db8::1]:443`. */
function withoutPort(hop: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/.exec(hop) ?? [];
  return bracketed ?? plain ?? hop;
}

function last(value: string | readonly string[] | undefined): string | undefined {
  const text = typeof value === "string" ? value : value?.join(",");
  return text?.split(",").at(-1)?.trim();
}
