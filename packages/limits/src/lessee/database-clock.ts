/** Epoch milliseconds. */
export type Clock = () => number;

/** Start of the process; constant, and its getter takes a fifth of a reading. */
const { timeOrigin } = performance;

/** The process's clock: the system's time at the start, then monotonic, so that corrections do not move a lease. */
export const monotonicClock: Clock = () => timeOrigin + performance.now();

/**
 * The database's time as estimated by a replica, so that all replicas agree on windows and months. Each renewal bounds the
 * difference between the two clocks, since the answer was made between sending and receiving. The estimate moves only as far as a
 * new bound requires.
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

  local(): number {
    return this.#local();
  }

  /** Epoch milliseconds, each; `sentLocalMs` on the local clock before sending. */
  observe(sentLocalMs: number, databaseMs: number): void {
    const lowest = databaseMs - this.#local();
    const highest = databaseMs - sentLocalMs;
    this.#offsetMs = Math.min(highest, Math.max(lowest, this.#offsetMs));
  }
}
