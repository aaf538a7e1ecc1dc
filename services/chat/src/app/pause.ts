/** Resolves after so many milliseconds, or as soon as the signal is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const onAbort = () => resolve();
  signal.addEventListener("abort", onAbort, { once: true });
  await promise;
  clearTimeout(timer);
  signal.removeEventListener("abort", onAbort);
}
