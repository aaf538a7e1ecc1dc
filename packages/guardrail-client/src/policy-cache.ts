import { BoundedCache } from "@gatehouse/bounded-cache";

/** Time for which an endpoint without a policy is not checked again: a part of the 250 ms within which a change takes effect. */
const absentFreshMsMax = 100;
/** Time for which endpoints without a policy continue while the guardrails are unreachable. */
const absentOutageMsMax = 10 * 60_000;
const entriesMax = 20_000;

interface Entry {
  policy: "absent" | "fails_open" | "fails_closed";
  knownAt: number;
}

/** Known policies of places in use, such as endpoints: saves questions, and decides while none is answered. */
export class PolicyCache {
  readonly #now: () => number;
  readonly #entries = new BoundedCache<string, Entry>(entriesMax);

  /** @param now milliseconds of a monotonic clock */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Stores the answer to a question of `askedAt`. */
  record(place: string, policy: Entry["policy"], askedAt: number): void {
    // Most calls record what is known already, and changing an entry is cheaper than setting it.
    const known = this.#entries.get(place);
    if (known === undefined) {
      this.#entries.set(place, { policy, knownAt: askedAt });
    } else {
      known.policy = policy;
      known.knownAt = askedAt;
    }
  }

  /** Whether the place had no policy a moment ago. */
  isFreshlyAbsent(place: string): boolean {
    const entry = this.#entries.get(place);
    return entry?.policy === "absent" && this.#now() - entry.knownAt < absentFreshMsMax;
  }

  /** Whether calls pass while the guardrails are unreachable; false for an unknown place. */
  mayPassUnguarded(place: string): boolean {
    const entry = this.#entries.get(place);
    if (entry === undefined) return false;
    if (entry.policy === "absent") return this.#now() - entry.knownAt < absentOutageMsMax;
    return entry.policy === "fails_open";
  }
}
