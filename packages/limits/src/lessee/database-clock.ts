/** Epoch milliseconds. */
export type Clock = () => number;

/** The process' own clock: the system's time at the start, then monotonic, so that no correction of it moves a lease. */
export const monotonicClock: Clock = () => performance.timeOrigin + performance.now();

/**
 * The database's time as a replica knows it, so that all replicas agree on windows and months. Each renewal bounds the
 * difference between the two clocks: the answer was made between sending and receiving. The estimate moves only as far
 * as a new bound forces it to.
 */
export class DatabaseClock {
  readonly #local: Clock;
  #offsetMs = 0;

  constructor(local: Clock) {
    this.#local = local;
  }

  now(): number {
    return this.#local() + this.#offsetMs;
  }

  /** The replica's own clock, for spans of time. */
  local(): number {
    return this.#local();
  }

  /** All three in epoch milliseconds; the first by the local clock before sending. */
  observe(sentLocalMs: number, databaseMs: number): void {
    const lowest = databaseMs - this.#local();
    const highest = databaseMs - sentLocalMs;
    this.#offsetMs = Math.min(highest, Math.max(lowest, this.#offsetMs));
  }
}
