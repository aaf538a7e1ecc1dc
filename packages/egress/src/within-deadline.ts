import { callCancelled } from "@gatehouse/errors";
import { answeredTooLate, upstreamUnreachable } from "./egress-error.ts";

/** Longest time that a piece of work may take, and who else may end it. */
interface Deadline {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs `work` with a signal that aborts when time is up or the caller gives up. The work has to heed its signal, and to reject
 * with the signal's reason.
 * @throws GatewayError `upstream_unreachable` when time is up, `cancelled` when the caller gave up; else what the work throws.
 */
export async function withinDeadline<T>(
  { timeoutMs, signal }: Deadline,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const cancel = () => controller.abort(callCancelled(signal?.reason));
  const timer = setTimeout(() => controller.abort(upstreamUnreachable(answeredTooLate)), timeoutMs);
  signal?.addEventListener("abort", cancel, { once: true });
  if (signal?.aborted === true) cancel();
  try {
    controller.signal.throwIfAborted();
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
  }
}
