import { lookup, Resolver } from "node:dns/promises";

/** One question to the DNS. */
export interface HostQuestion {
  /** Lower case, no final dot. */
  readonly hostname: string;
  /** Whether the operator opened this place, so that the hosts file and search domains may answer as well. */
  readonly opened: boolean;
  readonly signal: AbortSignal;
}

/**
 * Every address of a name, in the order to try them; empty when it has none. May reject, or not settle at all: the guard counts
 * it against its own deadline.
 */
export type ResolveHost = (question: HostQuestion) => Promise<readonly string[]>;

const queryTimeoutMs = 2_000;
const noAnswer: ReadonlySet<unknown> = new Set(["ENODATA", "ENOTFOUND"]);

/**
 * Asks the DNS servers of this machine. Names that tenants choose do not go through `getaddrinfo`: it would hold one of the few
 * threads that files and cryptography share for as long as a slow server likes, and answer from the hosts file.
 */
export const resolveHost: ResolveHost = async ({ hostname, opened, signal }) =>
  opened ? await resolveBySystem(hostname) : await resolveByDns(hostname, signal);

async function resolveBySystem(hostname: string): Promise<readonly string[]> {
  const answers = await lookup(hostname, { all: true, order: "verbatim" });
  return answers.map(({ address }) => address);
}

/** An address family that fails is no danger: only addresses that were answered, and judged, are connected to. */
async function resolveByDns(hostname: string, signal: AbortSignal): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: queryTimeoutMs, tries: 2 });
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

function codeOf(err: unknown): unknown {
  return err instanceof Error && "code" in err ? err.code : undefined;
}
