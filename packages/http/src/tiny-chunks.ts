import type { IncomingMessage } from "node:http";

/** Chunks of one body above which their average size is checked: a client that writes 100 KiB of JSON value by value stays below. */
export const tinyChunksMax = 16_384;
/** Smallest average size of the chunks of a body with more, bytes. */
export const chunkBytesMin = 16;

/**
 * Calls `onTiny` once when a body has more than {@link tinyChunksMax} chunks of less than {@link chunkBytesMin} bytes on average,
 * and drops the rest. The parser of node:http makes an object and a call of each chunk, and up to 2 MiB of them in one turn of
 * the event loop. Pausing the reader does not stop it; ending the connection does.
 */
export function refuseTinyChunks(req: IncomingMessage, onTiny: () => void): void {
  let chunks = 0;
  let bytes = 0;
  let isRefused = false;
  const push = req.push.bind(req);
  req.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
    // Returning false stops reading, and a connection with an earlier reply pending cannot be ended yet.
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
