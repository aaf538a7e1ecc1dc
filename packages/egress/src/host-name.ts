/** The name without its final dot; a lone dot stays, and is no host name. */
export function withoutFinalDot(name: string): string {
  return name.length > 1 && name.endsWith(".") ? name.slice(0, -1) : name;
}

/** Whether DNS may be queried for a lower-case ASCII name without a final dot. Underscores are common in practice. */
export function isHostName(name: string): boolean {
  return name.length <= 253 && name.split(".").every((label) => /^[a-z0-9_-]{1,63}$/.test(label));
}

/** Suffixes that never name a public host: RFC 6761, RFC 6762, RFC 8375, and those of clouds, clusters and home routers. */
const localSuffixes: readonly string[] = [
  "cluster.local",
  "corp",
  "home",
  "home.arpa",
  "internal",
  "intranet",
  "lan",
  "local",
  "localdomain",
  "localhost",
  "metadata.goog",
  "onion",
  "private",
  "svc",
];

/** Whether a name always belongs to this machine or its network: a single label, or one under a local suffix. */
export function isLocalName(name: string): boolean {
  return !name.includes(".") || localSuffixes.some((suffix) => name === suffix || name.endsWith(`.${suffix}`));
}

/** `localhost` and everything under it. */
export function isLoopbackName(name: string): boolean {
  return name === "localhost" || name.endsWith(".localhost");
}
