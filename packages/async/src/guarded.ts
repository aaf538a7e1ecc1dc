/**
 * A listener of what comes from outside the process. Its failure goes to `onFailure`, which ends the exchange, connection or
 * session at hand: an emitter would let it end the process. `pnpm boundaries` refuses other listeners of such events
 * (`tools/boundaries/src/rules/guarded-listeners.ts`).
 */
export function guarded<Args extends readonly unknown[]>(
  listen: (...args: Args) => unknown,
  onFailure: (cause: unknown, ...args: Args) => void,
): (...args: Args) => void {
  return (...args) => {
    try {
      listen(...args);
    } catch (cause) {
      onFailure(cause, ...args);
    }
  };
}

/**
 * Throws past every caller, in the next turn, so that the process ends in order (docs/adr/0025): for the `onFailure` of a listener in
 * which only the gateway's own code can throw. The state that it was about to change is in doubt, and the connection alone would end
 * without a trace otherwise.
 */
export function throwUncaught(cause: unknown): void {
  setImmediate(() => {
    throw cause;
  });
}
