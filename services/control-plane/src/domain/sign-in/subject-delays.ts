import { BoundedCache } from "@gatehouse/bounded-cache";

/** Bounds per person; the router delays by address. */
const subjectDelayBounds = {
  /** Refusals without a delay. */
  free: 5,
  /** Pause after the first one beyond those; doubles with each further one. */
  firstRestMs: 1_000,
  longestRestMs: 5 * 60_000,
  /** Time without an attempt after which a person starts over. */
  forgottenAfterMs: 15 * 60_000,
  peopleMax: 10_000,
} as const;

interface Refusals {
  readonly count: number;
  readonly atMs: number;
  readonly restsUntilMs: number;
}

/** Delays people who are refused repeatedly: a retrying application would flood the log. */
export class SubjectDelays {
  readonly #people = new BoundedCache<string, Refusals>(subjectDelayBounds.peopleMax);

  isResting(name: string, nowMs: number): boolean {
    const known = this.#people.get(name);
    return known !== undefined && nowMs < known.restsUntilMs;
  }

  record(name: string, nowMs: number): void {
    const { free, firstRestMs, longestRestMs, forgottenAfterMs } = subjectDelayBounds;
    const known = this.#people.get(name);
    const count = 1 + (known === undefined || nowMs - known.atMs >= forgottenAfterMs ? 0 : known.count);
    const restMs = count <= free ? 0 : Math.min(longestRestMs, firstRestMs * 2 ** (count - free - 1));
    this.#people.set(name, { count, atMs: nowMs, restsUntilMs: nowMs + restMs });
  }

  forget(name: string): void {
    this.#people.delete(name);
  }
}
