import { domainToASCII } from "node:url";
import { type AddressBytes, isInNetwork, type Network, parseNetwork, unwrapMapped } from "./address.ts";
import { judgeByFloor } from "./classify-address.ts";
import { isHostName, withoutFinalDot } from "./host-name.ts";

/** A network opened by the operator, on one port, or on all (`port` undefined). */
export interface NetworkEntry {
  readonly network: Network;
  readonly port: number | undefined;
}

/** A host name opened by the operator, for all addresses outside the floor. */
export interface HostEntry {
  readonly hostname: string;
  readonly port: number | undefined;
}

/** Targets opened by the operator beyond the public internet. */
export interface EgressAllow {
  readonly networks: readonly NetworkEntry[];
  readonly hosts: readonly HostEntry[];
}

/** Default of `EGRESS_ALLOW`: only addresses of the public internet are targets. */
export const allowNothing: EgressAllow = { networks: [], hosts: [] };

/** Invalid entries of `EGRESS_ALLOW`. Each problem quotes its entry, which is not secret. */
export class EgressAllowError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The list of allowed hosts has ${problems.length} problem(s): ${problems.join("; ")}`);
    this.name = "EgressAllowError";
    this.problems = problems;
  }
}

const entriesMax = 1_000;
const quotedLengthMax = 80;

/**
 * Parses a comma-separated list of networks, addresses and host names, each with an optional port: `10.0.0.0/8`,
 * `127.0.0.1:9000`, `fd00::/8`, `[fd00::/8]:8080`, `host.docker.internal:11434`. Empty entries are ignored.
 * @throws EgressAllowError with every invalid entry.
 */
export function parseEgressAllow(text: string): EgressAllow {
  const entries = text.split(",").map((entry) => entry.trim());
  const networks: NetworkEntry[] = [];
  const hosts: HostEntry[] = [];
  const problems: string[] = [];
  if (entries.length > entriesMax) throw new EgressAllowError([`it has more than ${entriesMax} entries`]);
  for (const entry of entries) {
    if (entry === "") continue;
    const parsed = parseEntry(entry);
    if (typeof parsed === "string") problems.push(`${JSON.stringify(entry.slice(0, quotedLengthMax))} ${parsed}`);
    else if ("network" in parsed) networks.push(parsed);
    else hosts.push(parsed);
  }
  if (problems.length > 0) throw new EgressAllowError(problems);
  return { networks, hosts };
}

/** Whether a network entry opens the address on the port. Does not check the floor. */
export function opensAddress(allow: EgressAllow, address: AddressBytes, port: number): boolean {
  const plain = unwrapMapped(address);
  return allow.networks.some((entry) => opensPort(entry, port) && isInNetwork(plain, entry.network));
}

/** Whether a host entry opens the name (lower case, no final dot) on the port. */
export function opensHost(allow: EgressAllow, hostname: string, port: number): boolean {
  return allow.hosts.some((entry) => opensPort(entry, port) && entry.hostname === hostname);
}

function opensPort(entry: NetworkEntry | HostEntry, port: number): boolean {
  return entry.port === undefined || entry.port === port;
}

/** An entry, or its problem, worded to follow the entry. */
function parseEntry(entry: string): NetworkEntry | HostEntry | string {
  if (entry.includes("://")) return "is a URL: write its host alone";
  const { place, portText } = splitPort(entry);
  const port = portText === undefined ? undefined : parsePort(portText);
  if (portText !== undefined && port === undefined) return "has a port that is not a whole number from 1 to 65535";
  const network = parseNetwork(place);
  if (network !== undefined) return checkNetwork(network) ?? { network, port };
  // Node's parser of names stops at a slash, and would accept the part before it.
  const problem = "is neither a network, an address nor a host name";
  if (place.includes("/")) return problem;
  const hostname = withoutFinalDot(domainToASCII(place).toLowerCase());
  if (!isHostName(hostname) || isNumeric(hostname)) return problem;
  return { hostname, port };
}

/** IPv6 addresses contain colons, so a port can only follow it after brackets. */
function splitPort(entry: string): { readonly place: string; readonly portText: string | undefined } {
  const bracketed = /^\[([^\]]*)\](?::(.*))?$/.exec(entry);
  if (bracketed !== null) {
    // Brackets are for IPv6 alone; other contents must not pass as a name.
    const inside = bracketed[1] ?? "";
    return { place: inside.includes(":") ? inside : "", portText: bracketed[2] };
  }
  const parts = entry.split(":");
  return parts.length === 2 ? { place: parts[0] ?? "", portText: parts[1] } : { place: entry, portText: undefined };
}

function parsePort(text: string): number | undefined {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return port >= 1 && port <= 65_535 ? port : undefined;
}

function checkNetwork({ bytes, prefixBits }: Network): string | undefined {
  if (unwrapMapped(bytes) !== bytes) return "is an IPv4 address inside IPv6: write it as IPv4";
  if (prefixBits < bytes.length * 8) return undefined;
  const verdict = judgeByFloor(bytes);
  return verdict.allowed ? undefined : `can never be opened (${verdict.reason})`;
}

/** Whether the name is a mistyped address: no top-level domain is a number. */
function isNumeric(hostname: string): boolean {
  return /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/.test(hostname);
}
