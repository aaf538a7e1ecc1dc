/** Runs a computation that yields between its steps to its end. */
export function runAtOnce<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
