/** Applies work to a value: synchronously where it is known, since a promise would cost a microtask, else when it resolves. */
export function andThen<Value, Result>(
  value: Value | Promise<Value>,
  work: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(work) : work(value);
}
