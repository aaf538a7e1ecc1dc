import type { IncomingMessage } from "node:http";
import { guarded } from "@gatehouse/async";

/** An unread body up to this size is left to the platform, which drops it and keeps the connection. */
const droppedBytesMax = 64 * 1024;
/** Time for which a client may go on sending a body that has been answered already, milliseconds. */
const lingerMs = 2_000;

/** Whether an answer that is sent now leaves so much of the request unread that the connection cannot be used again. */
export function leavesRest(req: IncomingMessage): boolean {
  // A request without a body is not complete either while its listener runs for the first time.
  if (req.complete || req.destroyed) return false;
  const { "content-length": length = 0, "transfer-encoding": coding } = req.headers;
  return coding !== undefined || req.readableDidRead || Number(length) > droppedBytesMax;
}

/**
 * Reads on, and throws away, what a client still sends of a request that was answered before its end. Closing at once would
 * reset the connection, and a client that is still writing would then see the reset instead of the answer (RFC 9112,
 * section 9.6). Resolves when the rest has come, the client is gone, or time is up.
 */
export function discardRest(req: IncomingMessage): Promise<void> {
  if (!leavesRest(req)) return Promise.resolve();
  return new Promise((resolve) => {
    const settle = guarded(
      () => {
        clearTimeout(timer);
        req.off("end", settle).off("close", settle);
        resolve();
      },
      () => resolve(),
    );
    const timer = setTimeout(settle, lingerMs);
    req.on("end", settle).on("close", settle);
    // A pipe that ends later would pause the request again.
    req.unpipe().resume();
  });
}
