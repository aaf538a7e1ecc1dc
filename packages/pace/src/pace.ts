import { isLarge, nextTurn } from "./next-turn.ts";

/** The longest that work on untrusted input holds the event loop at a time. */
const sliceMs = 1;

/** Splits long work, so that others have their turn: `rest` is called between steps that are short. */
export class Pace {
  #startedAtMs = performance.now();
  /** The time that the work itself took, without its rests. */
  #busyMs = 0;

  /** Lets others go first where the work has gone on for a slice. */
  async rest(): Promise<void> {
    const workedMs = performance.now() - this.#startedAtMs;
    if (workedMs < sliceMs) return;
    this.#busyMs += workedMs;
    await nextTurn();
    this.#startedAtMs = performance.now();
  }

  /** The work has waited for something else meanwhile: a new slice begins. */
  restart(): void {
    this.#startedAtMs = performance.now();
  }

  /** True when a rest is due; the check is cheaper than a rest that is not needed. */
  get isDue(): boolean {
    return performance.now() - this.#startedAtMs >= sliceMs;
  }

  /** Ends the work. @returns all the time that it took, ms. */
  end(): number {
    return this.#busyMs + performance.now() - this.#startedAtMs;
  }
}

/** Runs a computation that yields between its steps, and lets others in between slices. What it throws rejects. */
export async function runInSlices<Result>(steps: Generator<void, Result>, pace = new Pace()): Promise<Result> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (pace.isDue) await pace.rest();
  }
}

/** Runs a computation that yields between its steps at once, or in slices where what it works on is large. */
export function runSized<Result>(steps: Generator<void, Result>, bytes: number | undefined): Result | Promise<Result> {
  return isLarge(bytes) ? runInSlices(steps) : runAtOnce(steps);
}

/** Runs a computation that yields between its steps, without rests. */
export function runAtOnce<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
