/** A router's process, for the administrators' view of the gateway. */
export interface RouterFacts {
  /** Version of Gatehouse. */
  readonly version: string;
  /** Version of Node. */
  readonly runtime: string;
  readonly host: string;
  /** Epoch milliseconds. */
  readonly startedAtMs: number;
}

/** Encodes the facts for a header, since a host's name may contain any character. */
export function toRouterHeader(facts: RouterFacts): string {
  return encodeURIComponent(JSON.stringify(facts));
}

/** Reads the router's header. Undefined where an older router sends none, or the text is malformed. */
export function fromRouterHeader(text: string | undefined): RouterFacts | undefined {
  if (text === undefined) return undefined;
  try {
    const { version, runtime, host, startedAtMs } = JSON.parse(decodeURIComponent(text)) as Record<string, unknown>;
    if (typeof version !== "string" || typeof runtime !== "string" || typeof host !== "string") return undefined;
    return typeof startedAtMs === "number" ? { version, runtime, host, startedAtMs } : undefined;
  } catch {
    return undefined;
  }
}
