import type { ServerResponse } from "node:http";
import { Pace } from "@gatehouse/pace";

/** Bytes, or units of a text, that are handed to the connection at a time: what the kernel takes of it is copied in one go. */
const pieceLength = 64 * 1_024;

/** Unwritten length of replies that go out in pieces. */
const unwritten = new WeakMap<ServerResponse, number>();

/**
 * Length of a reply that is held until its client takes it, written to its connection or not; in bytes, or units of a text.
 */
export function unsentLength(res: ServerResponse): number {
  return res.writableLength + (unwritten.get(res) ?? 0);
}

/**
 * Writes the rest of a reply as its client takes it, in slices of the event loop's time, and ends it. A large reply that is written in
 * one go holds the loop for as long as the kernel copies it, and lies in memory twice. Never rejects.
 */
export async function writeInPieces(res: ServerResponse, parts: readonly (string | Buffer)[]): Promise<void> {
  const pace = new Pace();
  let left = parts.reduce((sum, part) => sum + part.length, 0);
  for (const part of parts) {
    for (const piece of piecesOf(part)) {
      if (res.destroyed) return;
      left -= piece.length;
      unwritten.set(res, left);
      if (!res.write(piece) && !res.closed) await untilTaken(res);
      await pace.rest();
    }
  }
  res.end();
}

function* piecesOf(part: string | Buffer): Generator<string | Buffer> {
  if (part.length <= pieceLength) {
    yield part;
    return;
  }
  for (let from = 0; from < part.length;) {
    let to = Math.min(part.length, from + pieceLength);
    // The halves of a surrogate pair are no text by themselves.
    if (typeof part === "string" && to < part.length && isHighSurrogate(part.charCodeAt(to - 1))) to += 1;
    yield typeof part === "string" ? part.slice(from, to) : part.subarray(from, to);
    from = to;
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

/** Either may come first; a reply that is destroyed drains no more. */
async function untilTaken(res: ServerResponse): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  res.once("drain", resolve).once("close", resolve);
  await promise;
  res.off("drain", resolve).off("close", resolve);
}
