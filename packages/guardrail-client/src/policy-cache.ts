import { BoundedCache } from "@gatehouse/bounded-cache";

/** Time for which an endpoint without a policy is not asked about again: a part of the 250 ms in which a change is in force. */
const absentFreshMsMax = 100;
/** Time for which endpoints that had no policy go on while the guardrails cannot be reached. */
const absentOutageMsMax = 10 * 60_000;
const entriesMax = 20_000;

interface Entry {
  policy: "absent" | "fails_open" | "fails_closed";
  knownAt: number;
}

/**
 * Knowledge about the policies of places in use, such as endpoints: enough to spare questions, and to decide when none is
 * answered.
 */
export class PolicyCache {
  readonly #now: () => number;
  readonly #entries = new BoundedCache<string, Entry>(entriesMax);

  /** @param now milliseconds of a monotonic clock. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Keeps what was answered to a question that was asked at `askedAt`. */
  record(place: string, policy: Entry["policy"], askedAt: number): void {
    // Each call records what is known as a rule: an entry that is set again costs more than one that is changed.
    const known = this.#entries.get(place);
    if (known === undefined) {
      this.#entries.set(place, { policy, knownAt: askedAt });
    } else {
      known.policy = policy;
      known.knownAt = askedAt;
    }
  }

  /** Whether the place, such as an endpoint, had no policy a moment ago. */
  isFreshlyAbsent(place: string): boolean {
    const entry = this.#entries.get(place);
    return entry?.policy === "absent" && this.#now() - entry.knownAt < absentFreshMsMax;
  }

  /** Whether calls pass while the guardrails cannot be reached. Of an endpoint that nothing is known about, none does. */
  mayPassUnguarded(place: string): boolean {
    const entry = this.#entries.get(place);
    if (entry === undefined) return false;
    if (entry.policy === "absent") return this.#now() - entry.knownAt < absentOutageMsMax;
    return entry.policy === "fails_open";
  }
}
