import { callCancelled, GatewayError } from "@gatehouse/errors";
import { sessionBounds as bounds, type SessionKey } from "./session.ts";

/** Queues callers within one process, without the database. A caller that leaves the queue lets those behind it wait for the one before. */
export async function queueUp(
  queues: Map<string, Promise<void>>,
  key: SessionKey,
  signal: AbortSignal,
): Promise<() => void> {
  const name = `${key.tokenId}/${key.endpointUuid}/${key.sessionUuid}`;
  const before = queues.get(name);
  const { promise, resolve } = Promise.withResolvers<void>();
  queues.set(name, promise);
  const leave = () => {
    if (queues.get(name) === promise) queues.delete(name);
    resolve();
  };
  try {
    if (before !== undefined) await waitFor(before, signal);
  } catch (err) {
    void before?.then(leave);
    throw err;
  }
  return leave;
}

/** @throws GatewayError `cancelled` by the signal, `unavailable` after the longest wait for a turn. */
async function waitFor(before: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onAbort = () => reject(callCancelled());
  const timer = setTimeout(() => reject(sessionBusy()), bounds.turnWaitMs);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    void before.then(resolve);
    await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}

/** Error of a turn that does not come in time. */
export function sessionBusy(): GatewayError {
  return new GatewayError("unavailable", "Another call on this session has not finished. Try again.", {
    retryAfterSeconds: 1,
  });
}
