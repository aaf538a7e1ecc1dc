import { isLarge, nextTurn } from "./next-turn.ts";

/** Longest slice of work on untrusted input. */
const sliceMs = 1;

/** Splits long work, so that others get their turn: call `rest` between short steps. */
export class Pace {
  #startedAtMs = performance.now();
  /** Time of the work itself, without pauses. */
  #busyMs = 0;

  /** Lets others go first once a slice is used up. */
  async rest(): Promise<void> {
    const workedMs = performance.now() - this.#startedAtMs;
    if (workedMs < sliceMs) return;
    this.#busyMs += workedMs;
    await nextTurn();
    this.#startedAtMs = performance.now();
  }

  /** Starts a new slice, after the work has waited for something else. */
  restart(): void {
    this.#startedAtMs = performance.now();
  }

  /** Whether a rest is due; cheaper to check than an unneeded rest. */
  get isDue(): boolean {
    return performance.now() - this.#startedAtMs >= sliceMs;
  }

  /** Ends the work. @returns its total time, ms. */
  end(): number {
    return this.#busyMs + performance.now() - this.#startedAtMs;
  }
}

/** Runs a computation that yields between its steps, in slices of the event loop's time. Its exceptions reject. */
export async function runInSlices<Result>(steps: Generator<void, Result>, pace = new Pace()): Promise<Result> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (pace.isDue) await pace.rest();
  }
}

/** Runs a computation that yields between its steps: synchronously, or in slices where its input is large. */
export function runSized<Result>(steps: Generator<void, Result>, bytes: number | undefined): Result | Promise<Result> {
  return isLarge(bytes) ? runInSlices(steps) : runAtOnce(steps);
}

/** Runs a computation that yields between its steps synchronously. */
export function runAtOnce<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
