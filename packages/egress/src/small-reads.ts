import type { Duplex } from "node:stream";

/** Bytes of a foreign reply that undici's parser is given at a time. */
export const readBytesMax = 4_096;

/**
 * Has undici read a connection in small pieces. Its parser looks between two pieces only whether the connection is gone or a reader has
 * paused it: behind a head that is too large it makes an error of each further header in the piece, which is 150 ms of the event loop
 * for the 64 KiB that Node reads at a time.
 */
export function readInSmallPieces<Connection extends Duplex>(socket: Connection): Connection {
  const read = socket.read.bind(socket);
  socket.read = (size?: number): unknown => {
    if (socket.destroyed) return null;
    return read(size ?? (socket.readableLength > readBytesMax ? readBytesMax : undefined));
  };
  return socket;
}
