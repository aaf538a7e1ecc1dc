import { lookup, Resolver } from "node:dns/promises";
import { codeOf } from "@gatehouse/errors";

/**
 * Resolver for a name. `dns`: the DNS servers of this machine. `system`: `getaddrinfo`, which also reads the hosts file and tries
 * search domains, for names that the operator opened. `dns-then-system`: `system` where `dns` does not know the name.
 */
export type NameSource = "dns" | "dns-then-system" | "system";

/** A name to resolve, and its resolver. */
export interface HostQuestion {
  /** Lower case, no final dot. */
  readonly hostname: string;
  readonly source: NameSource;
  readonly signal: AbortSignal;
}

/** All addresses of a name, in the order to try them; empty where it has none. May reject or never settle: the guard has a deadline. */
export type ResolveHost = (question: HostQuestion) => Promise<readonly string[]>;

/**
 * Creates the resolver. Names chosen by tenants never reach `getaddrinfo`: a slow server would occupy one of the few threads that
 * files and cryptography share, and the hosts file would answer.
 */
export function createResolveHost(
  byDns: (hostname: string, signal: AbortSignal) => Promise<readonly string[]>,
  bySystem: (hostname: string) => Promise<readonly string[]>,
): ResolveHost {
  return async ({ hostname, source, signal }) => {
    if (source === "system") return await bySystem(hostname);
    const addresses = await byDns(hostname, signal);
    return addresses.length > 0 || source === "dns" ? addresses : await bySystem(hostname);
  };
}

/** Default resolver, with the DNS configuration of this machine. */
export const resolveHost: ResolveHost = createResolveHost(
  (hostname, signal) => queryDns(hostname, signal),
  async (hostname) => {
    const answers = await lookup(hostname, { all: true, order: "verbatim" });
    return answers.map(({ address }) => address);
  },
);

const queryTimeoutMs = 2_000;
/** No such name, no address of that family, or no DNS server at all. */
const noAnswer: ReadonlySet<unknown> = new Set(["ENODATA", "ENOTFOUND", "ECONNREFUSED"]);

/**
 * All AAAA and A records of a name; empty where there are none. One family may fail if the other answers, since only returned and
 * checked addresses are connected to.
 * @param servers `address:port` of DNS servers; those of this machine when absent
 * @throws Error with Node's DNS code when no family answered and one of them failed.
 */
export async function queryDns(
  hostname: string,
  signal: AbortSignal,
  servers?: readonly string[],
): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: queryTimeoutMs, tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);
  const cancel = () => resolver.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    const answers = await Promise.allSettled([resolver.resolve6(hostname), resolver.resolve4(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    const failure = answers.find((answer) => answer.status === "rejected" && !noAnswer.has(codeOf(answer.reason)));
    if (addresses.length === 0 && failure?.status === "rejected") throw failure.reason;
    return addresses;
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}
