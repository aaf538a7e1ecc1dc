import { GatewayError } from "@gatehouse/errors";

/** Waits for work that may never end, no longer than until the signal comes. @throws GatewayError `unavailable` then. */
export async function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise: aborted, reject } = Promise.withResolvers<void>();
  const onAbort = () => reject(new GatewayError("unavailable", "The wait was given up."));
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
