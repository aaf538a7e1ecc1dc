/** The longest that work on what an upstream sent may hold the event loop at a time. */
const sliceMs = 5;

/** Splits long work, so that others have their turn: `rest` is called between steps that are short. */
export class Pace {
  #startedAtMs = performance.now();
  /** The time that the work itself took, without its rests. */
  busyMs = 0;

  /** Lets others go first where the work has gone on for a slice. */
  async rest(): Promise<void> {
    const workedMs = performance.now() - this.#startedAtMs;
    if (workedMs < sliceMs) return;
    this.busyMs += workedMs;
    await new Promise((resolve) => setImmediate(resolve));
    this.#startedAtMs = performance.now();
  }

  /** Whether a rest is due; asking is cheaper than resting in vain. */
  get isDue(): boolean {
    return performance.now() - this.#startedAtMs >= sliceMs;
  }

  /** Ends the work. @returns all the time that it took. */
  end(): number {
    return this.busyMs + performance.now() - this.#startedAtMs;
  }
}
