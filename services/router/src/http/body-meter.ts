import type { IncomingMessage } from "node:http";
import { guarded, throwUncaught } from "@gatehouse/async";

/** Watches one body while it is read. */
export interface BodyMeter {
  /** Called with the size of each piece of the body as it comes in, before anything else sees it; false drops the rest. */
  readonly onBytes: (bytes: number) => boolean;
  /** Called once, when the body has come whole. Its reader learns of the end when `release` is called. */
  readonly onWhole: (release: () => void) => void;
}

/**
 * Watches a body on its way in. Where the rest is dropped, a reader of the body sees the connection close, not a body that is
 * cut.
 */
export function meterBody(req: IncomingMessage, { onBytes, onWhole }: BodyMeter): void {
  let isTaken = true;
  const pass = req.push.bind(req);
  const meter = guarded(
    (chunk: unknown) => {
      if (isTaken && Buffer.isBuffer(chunk)) isTaken = onBytes(chunk.length);
      if (isTaken && chunk === null) onWhole(() => (req.destroyed ? undefined : pass(null)));
    },
    (cause) => {
      isTaken = false;
      req.destroy();
      throwUncaught(cause);
    },
  );
  // The method that the parser of node:http calls with each piece; a listener would set the body flowing before its reader is
  // there.
  req.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
    meter(chunk);
    if (!isTaken) return true;
    return chunk === null || pass(chunk, encoding);
  };
}
