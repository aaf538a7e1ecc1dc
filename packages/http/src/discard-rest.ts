import type { IncomingMessage } from "node:http";
import { guarded } from "@gatehouse/async";

/** Largest unread body that Node itself discards, keeping the connection. */
const droppedBytesMax = 64 * 1024;
/** Longest time for a client to go on sending a body that has been answered already, milliseconds. */
const lingerMs = 2_000;

/** Whether an answer sent now leaves too much of the request unread for the connection to be reused. */
export function leavesRest(req: IncomingMessage): boolean {
  // A request without a body is not complete either during the first run of its listener.
  if (req.complete || req.destroyed) return false;
  const { "content-length": length = 0, "transfer-encoding": coding } = req.headers;
  return coding !== undefined || req.readableDidRead || Number(length) > droppedBytesMax;
}

/**
 * Reads and discards the rest of a request that was answered early. Closing at once would reset the connection, and a client that
 * is still writing would see the reset instead of the answer (RFC 9112, section 9.6). Resolves when the rest has arrived, the
 * client is gone, or time is up.
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
