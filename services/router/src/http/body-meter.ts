import type { IncomingMessage } from "node:http";
import { guarded, throwUncaught } from "@gatehouse/async";

interface BodyMeter {
  /** Called with the size of each piece before its reader sees it; false drops the rest of the body. */
  readonly onBytes: (bytes: number) => boolean;
  /** Called once, when the whole body has arrived. The reader sees its end when `release` is called. */
  readonly onWhole: (release: () => void) => void;
}

/** Observes an incoming body. After a drop, the reader sees a closed connection, not a shortened body. */
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
  // Wraps the method that node:http's parser calls with each piece: a `data` listener would start the flow before the reader is
  // attached.
  req.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
    meter(chunk);
    if (!isTaken) return true;
    return chunk === null || pass(chunk, encoding);
  };
}
