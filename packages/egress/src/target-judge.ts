import { type AddressBytes, parseAddress } from "./address.ts";
import { carriedIpv4, classifyAddress, judgeByFloor } from "./classify-address.ts";
import { deniedPorts } from "./denied-ports.ts";
import { type EgressAllow, opensAddress, opensHost, parseEgressAllow } from "./egress-allow.ts";
import { ssrfBlocked } from "./egress-error.ts";
import type { EgressTarget } from "./egress-url.ts";
import { isLocalName, isLoopbackName } from "./host-name.ts";
import type { NameSource } from "./resolve-host.ts";

/** Kind of a target that passed so far: an address, or a name with the resolver to ask for its addresses. */
type TargetKind = "address" | NameSource;

/** Judges where a connection would go, without any I/O. Both methods throw GatewayError `ssrf_blocked`. */
export interface TargetJudge {
  /** Judges scheme, port and name; an address that stands in the target is judged to the end. */
  readonly judgeTarget: (target: EgressTarget) => TargetKind;
  /** Judges every address that the target's name resolved to, and answers those that may be connected to. */
  readonly judgeAnswers: (target: EgressTarget, addresses: readonly string[]) => readonly string[];
}

/** Faults of a target before its address is known, unless the operator opened it. */
interface TargetContext {
  readonly port: number;
  readonly openedByName: boolean;
  readonly problem: string | undefined;
}

/**
 * @param ownAddresses Addresses, with or without a port, that nothing may connect to.
 * @throws TypeError when one of them is not an address.
 */
export function createTargetJudge(allow: EgressAllow, ownAddresses: readonly string[]): TargetJudge {
  const own = parseEgressAllow(ownAddresses.join(","));
  if (own.hosts.length > 0) throw new TypeError("ownAddresses must hold addresses only.");

  function contextOf({ hostname, port }: EgressTarget, isName: boolean): TargetContext {
    const openedByName = isName && opensHost(allow, hostname, port);
    if (deniedPorts.has(port)) return { port, openedByName, problem: `Port ${port} is not allowed.` };
    const problem = isName && isLocalName(hostname) ? `${hostname} is a name of the local network.` : undefined;
    return { port, openedByName, problem };
  }

  /** Why an address is refused: `detail` for a person who wrote the address. */
  function problemOf(address: AddressBytes, context: TargetContext): string | undefined {
    const lowest = judgeByFloor(address);
    if (!lowest.allowed) return `It is never allowed (${lowest.reason}).`;
    if (opensAddress(own, address, context.port)) {
      return "It is an address of this gateway.";
    }
    if (isOpened(address, context)) return undefined;
    if (context.problem !== undefined) return context.problem;
    const verdict = classifyAddress(address);
    return verdict.allowed ? undefined : `It is not a public address (${verdict.reason}).`;
  }

  /** A network that translates to IPv4 opens only those IPv4 addresses that are open by themselves. */
  function isOpened(address: AddressBytes, context: TargetContext): boolean {
    if (context.openedByName) return true;
    if (!opensAddress(allow, address, context.port)) return false;
    return carriedIpv4(address).every(
      (carried) => classifyAddress(carried).allowed || opensAddress(allow, carried, context.port),
    );
  }

  return {
    judgeTarget: (target) => {
      const address = parseAddress(target.hostname);
      const context = contextOf(target, address === undefined);
      if (address !== undefined) {
        const problem = problemOf(address, context);
        if (problem !== undefined) throw ssrfBlocked(problem);
        return "address";
      }
      if (context.openedByName) return "system";
      if (allow.networks.length > 0) {
        // The name's addresses may have been opened, which shows only once they are known.
        return isLocalName(target.hostname) ? "system" : "dns-then-system";
      }
      if (context.problem !== undefined) throw ssrfBlocked(context.problem);
      return "dns";
    },
    judgeAnswers: (target, addresses) => {
      const context = contextOf(target, true);
      const open = addresses.filter((text) => {
        const address = parseAddress(text);
        return address !== undefined && problemOf(address, context) === undefined;
      });
      // `localhost` is loopback in both families by definition (RFC 6761, section 6.3): opening one of them is enough for that one.
      const isEnough = isLoopbackName(target.hostname) ? open.length > 0 : open.length === addresses.length;
      if (isEnough) return open;
      // One sentence for every address, so that the refusal is no way to read a private DNS zone.
      throw ssrfBlocked(context.problem ?? "The host name resolves to an address that is not public.");
    },
  };
}
