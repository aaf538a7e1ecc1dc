/** Waits until `ms` have passed, `stopped` fires, or the function given to `onStart` is called. */
export function pause(ms: number, stopped: AbortSignal, onStart: (end: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      stopped.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms).unref();
    stopped.addEventListener("abort", end, { once: true });
    onStart(end);
  });
}
