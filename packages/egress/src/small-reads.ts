import type { Duplex } from "node:stream";

/** Bytes of an external reply passed to undici's parser at a time. */
export const readBytesMax = 4_096;

/**
 * Makes undici, which sends the requests for upgrades, read a connection in small pieces. Its parser checks only between two pieces whether the connection is closed or
 * paused: after a head that is too large it makes an error of each further header, 150 ms of the event loop for the 64 KiB that
 * Node reads at a time.
 */
export function readInSmallPieces<Connection extends Duplex>(socket: Connection): Connection {
  const read = socket.read.bind(socket);
  socket.read = (size?: number): unknown => {
    if (socket.destroyed) return null;
    return read(size ?? (socket.readableLength > readBytesMax ? readBytesMax : undefined));
  };
  return socket;
}
