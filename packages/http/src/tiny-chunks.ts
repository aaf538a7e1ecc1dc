import type { IncomingMessage } from "node:http";

/** Chunks of one body from which on their size counts: a client that writes its JSON value by value stays below for bodies of 100 KiB. */
export const tinyChunksMax = 16_384;
/** Bytes that the chunks of a body of more must have on average. */
export const chunkBytesMin = 16;

/**
 * Calls `onTiny` once when a body comes in more than {@link tinyChunksMax} chunks of less than {@link chunkBytesMin} bytes on average,
 * and drops the rest. The parser of node:http makes an object and a call of each chunk, and up to 2 MiB of them in one turn of the
 * event loop, whatever their reader does: pausing it does not help, ending the connection does.
 */
export function refuseTinyChunks(req: IncomingMessage, onTiny: () => void): void {
  let chunks = 0;
  let bytes = 0;
  let isRefused = false;
  const push = req.push.bind(req);
  req.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
    // Node stops reading for a false: behind a reply that is still to be given, the connection cannot be ended yet.
    if (isRefused) return req.socket.writableEnded;
    if (Buffer.isBuffer(chunk)) {
      chunks += 1;
      bytes += chunk.length;
      isRefused = chunks > tinyChunksMax && bytes < chunks * chunkBytesMin;
    }
    if (!isRefused) return push(chunk, encoding);
    onTiny();
    return req.socket.writableEnded;
  };
}
