/**
 * Goes on with a value: at once where it is there, since waiting for it would cost a turn of the microtask queue, or when its
 * promise is kept.
 */
export function andThen<Value, Result>(
  value: Value | Promise<Value>,
  work: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(work) : work(value);
}
