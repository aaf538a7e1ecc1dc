import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { readBytesMax, readInSmallPieces } from "./small-reads.ts";

test("received bytes are read in small pieces, complete and in order", () => {
  const sent = Buffer.from(Array.from({ length: 70_000 }, (_, at) => at % 251));
  const socket = readInSmallPieces(new PassThrough({ highWaterMark: 1_000_000 }));
  socket.write(sent);
  const pieces: Buffer[] = [];
  for (let piece: unknown = socket.read(); Buffer.isBuffer(piece); piece = socket.read()) pieces.push(piece);
  expect(Math.max(...pieces.map(({ length }) => length))).toBe(readBytesMax);
  expect(Buffer.concat(pieces)).toEqual(sent);
  expect(socket.read(), "nothing is left").toBeNull();
});

test("nothing more is read after the connection has ended", () => {
  const socket = readInSmallPieces(new PassThrough({ highWaterMark: 1_000_000 }));
  socket.write(Buffer.alloc(70_000));
  socket.read();
  socket.destroy();
  expect(socket.read()).toBeNull();
});
