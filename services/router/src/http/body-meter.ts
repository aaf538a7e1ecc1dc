import { IncomingMessage } from "node:http";

/**
 * Calls `onBytes` with the size of each piece of a body as it comes in, before anything else sees it. Once that answers false,
 * the rest is dropped unread: whoever waits for the body sees the connection close, not a body that is cut.
 */
export function meterBody(req: IncomingMessage, onBytes: (bytes: number) => boolean): void {
  let isTaken = true;
  // What the parser of node:http calls with each piece; a listener would set the body flowing before its reader is there.
  req.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
    if (isTaken && Buffer.isBuffer(chunk)) isTaken = onBytes(chunk.length);
    return isTaken ? IncomingMessage.prototype.push.call(req, chunk, encoding) : true;
  };
}
