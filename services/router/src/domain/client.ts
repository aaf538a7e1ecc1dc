import { isIP, isIPv6 } from "node:net";
import { BoundedCache } from "@gatehouse/bounded-cache";
import { isWithin, type Networks, parseNetworks } from "@gatehouse/principal";

/** Client of a request, as the connection and trusted proxies show it. */
export interface Client {
  /** Without zone, and IPv4 as such; empty where the connection is gone. */
  readonly ipAddress: string;
  readonly protocol: "http" | "https";
}

/** Facts of a request about its sender's address. */
export interface SenderAddress {
  /** The other end of the connection. */
  readonly peerAddress: string | undefined;
  /** `X-Forwarded-For` and `X-Forwarded-Proto`, as sent. */
  readonly forwardedFor: string | readonly string[] | undefined;
  readonly forwardedProto: string | readonly string[] | undefined;
}

/** The client of a connection, behind however many trusted proxies. */
export type ClientOf = (sender: SenderAddress) => Client;

/** Proxies whose forwarding headers are trusted. */
export type TrustedProxies = Networks | undefined;

/** Peers of which it is remembered whether they are trusted: a look through the networks takes a microsecond. */
const peersMax = 1_000;

/** Hops looked at, from the nearest on: a chain of trusted proxies is never this long. */
const hopsMax = 16;

interface ParsedProxies {
  readonly proxies: TrustedProxies;
  /** Entries that are no network, each once. */
  readonly bad: readonly string[];
}

/** Reads networks and addresses, separated by commas: `10.0.0.0/8, 2001:db8::1`. */
export function parseTrustedProxies(text: string): ParsedProxies {
  const entries = new Set(text.split(",").map((entry) => entry.trim()));
  entries.delete("");
  const { networks: proxies, bad } = parseNetworks(entries);
  return { proxies: entries.size === bad.length ? undefined : proxies, bad };
}

/**
 * Finds the client of a request. `X-Forwarded-For` is read from the right, for as long as a trusted proxy has written it: the first
 * address that is not one of theirs is the client. Anything else in the headers may have been written by the client itself.
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

/** IPv4 addresses are written as such on a socket that listens on IPv6 too. */
export function plainAddress(address: string | undefined): string {
  if (address === undefined) return "";
  const [plain = ""] = address.split("%", 1);
  return plain.toLowerCase().startsWith("::ffff:") && plain.includes(".") ? plain.slice("::ffff:".length) : plain;
}

/** Key by which requests of one address are counted: the owner of an IPv6 address has the whole /64. */
export function addressKey(ipAddress: string): string {
  if (!isIPv6(ipAddress)) return ipAddress;
  const [head = "", tail] = ipAddress.split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array.from({ length: zeros }, () => "0"), ...after].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/64`;
}

/** Whether an address is one of the proxies whose `X-Forwarded-For` counts. */
export function isTrusted(proxies: TrustedProxies, address: string): boolean {
  return proxies !== undefined && isWithin(proxies, address);
}

function clientBehind(proxies: TrustedProxies, peer: string, forwardedFor: SenderAddress["forwardedFor"]): string {
  const hops = (typeof forwardedFor === "string" ? forwardedFor : (forwardedFor ?? []).join(",")).split(",");
  let nearest = peer;
  for (const hop of hops.slice(-hopsMax).toReversed()) {
    const address = plainAddress(withoutPort(hop.trim()));
    // An entry of a trusted proxy that is no address means nothing, and nothing before it can be trusted.
    if (isIP(address) === 0) return nearest;
    nearest = address;
    if (!isTrusted(proxies, address)) return address;
  }
  return nearest;
}

/** Some proxies write `192.0.2.1:443` or `[2001:db8::1]:443`. */
function withoutPort(hop: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/.exec(hop) ?? [];
  return bracketed ?? plain ?? hop;
}

function last(value: string | readonly string[] | undefined): string | undefined {
  const text = typeof value === "string" ? value : value?.join(",");
  return text?.split(",").at(-1)?.trim();
}
