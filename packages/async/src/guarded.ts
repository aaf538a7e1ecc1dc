/**
 * Wraps a listener for external input. Its failure goes to `onFailure`, which ends the exchange, connection or session; thrown
 * from an emitter it would end the process. `pnpm boundaries` refuses other listeners of such events
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
 * Throws in the next turn, past every caller, so that the process shuts down (docs/adr/0025): for the `onFailure` of a listener
 * in which only the gateway's own code can throw. Its state is in doubt, and ending only the connection would hide the defect.
 */
export function throwUncaught(cause: unknown): void {
  setImmediate(() => {
    throw cause;
  });
}
