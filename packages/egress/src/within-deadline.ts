import { callCancelled } from "@gatehouse/errors";
import { answeredTooLate, upstreamUnreachable } from "./egress-error.ts";

/** Time bound of a piece of work, and its caller's signal. */
interface Deadline {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs `work` with a signal that aborts when time is up or the caller aborts. The work must obey its signal, and reject with the
 * signal's reason.
 * @throws GatewayError `upstream_unreachable` when time is up, `cancelled` when the caller aborted; else the work's error.
 */
export async function withinDeadline<T>(
  { timeoutMs, signal }: Deadline,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const cancel = () => controller.abort(callCancelled(signal?.reason));
  const timer = setTimeout(() => controller.abort(upstreamUnreachable(answeredTooLate(timeoutMs))), timeoutMs);
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
