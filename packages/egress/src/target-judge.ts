import { type AddressBytes, parseAddress } from "./address.ts";
import { carriedIpv4, classifyAddress, judgeByFloor } from "./classify-address.ts";
import { deniedPorts } from "./denied-ports.ts";
import { type EgressAllow, opensAddress, opensHost, parseEgressAllow } from "./egress-allow.ts";
import { ssrfBlocked } from "./egress-error.ts";
import type { EgressTarget } from "./egress-url.ts";
import { isLocalName, isLoopbackName } from "./host-name.ts";
import type { NameSource } from "./resolve-host.ts";

/** A target that has passed so far: an address, or a name with its resolver. */
type TargetKind = "address" | NameSource;

/** Checks the target of a connection, without I/O. Both methods throw GatewayError `ssrf_blocked`. */
export interface TargetJudge {
  /** Checks scheme, port and name; a literal address is checked completely. */
  readonly judgeTarget: (target: EgressTarget) => TargetKind;
  /** Checks all resolved addresses of the target's name, and returns those that may be connected to. */
  readonly judgeAnswers: (target: EgressTarget, addresses: readonly string[]) => readonly string[];
}

/** Problem of a target that the operator may open. */
function openable(problem: string): string {
  return `${problem} Ask the operator to open it with EGRESS_ALLOW.`;
}

/** State of a check before the address is known: the target's problem, unless the operator opened it. */
interface TargetContext {
  readonly port: number;
  readonly openedByName: boolean;
  readonly problem: string | undefined;
}

/**
 * @param ownAddresses addresses, with or without a port, that nothing may connect to.
 * @throws TypeError when one of them is not an address.
 */
export function createTargetJudge(allow: EgressAllow, ownAddresses: readonly string[]): TargetJudge {
  const own = parseEgressAllow(ownAddresses.join(","));
  if (own.hosts.length > 0) throw new TypeError("ownAddresses must hold addresses only.");

  function contextOf({ hostname, port }: EgressTarget, isName: boolean): TargetContext {
    const openedByName = isName && opensHost(allow, hostname, port);
    if (deniedPorts.has(port)) return { port, openedByName, problem: openable(`Port ${port} is not allowed.`) };
    const isLocal = isName && isLocalName(hostname);
    const problem = isLocal ? openable(`${hostname} is a name of the local network.`) : undefined;
    return { port, openedByName, problem };
  }

  /** Reason why an address is refused, for the person who wrote it. */
  function problemOf(address: AddressBytes, context: TargetContext): string | undefined {
    const lowest = judgeByFloor(address);
    if (!lowest.allowed) return `The address is never allowed (${lowest.reason}).`;
    if (opensAddress(own, address, context.port)) {
      return "The address belongs to this gateway.";
    }
    if (isOpened(address, context)) return undefined;
    if (context.problem !== undefined) return context.problem;
    const verdict = classifyAddress(address);
    return verdict.allowed ? undefined : openable(`The address is not public (${verdict.reason}).`);
  }

  /** Whether an address is opened; one that embeds IPv4 addresses only where those are open too. */
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
        // Its addresses may have been opened, which is known only after resolution.
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
      // `localhost` is loopback in both families by definition (RFC 6761, section 6.3), so one open address is enough.
      const isEnough = isLoopbackName(target.hostname) ? open.length > 0 : open.length === addresses.length;
      if (isEnough) return open;
      // One message for all addresses, so that refusals do not reveal a private DNS zone.
      throw ssrfBlocked(context.problem ?? openable("The host name resolves to an address that is not public."));
    },
  };
}
