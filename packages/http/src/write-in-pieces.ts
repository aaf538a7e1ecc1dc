import type { ServerResponse } from "node:http";
import { Pace } from "@gatehouse/pace";

/** Bytes, or units of a text, written at a time: the kernel copies what it accepts in one go. */
const pieceLength = 64 * 1_024;

const unwritten = new WeakMap<ServerResponse, number>();

/** Unsent length of a reply, written to its connection or not; in bytes, or units of a text. */
export function unsentLength(res: ServerResponse): number {
  return res.writableLength + (unwritten.get(res) ?? 0);
}

/**
 * Writes the rest of a reply as its client reads it, in slices of the event loop's time, and ends it. A large single write would
 * block the loop while the kernel copies it, and occupy memory twice. Never rejects.
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
    // A surrogate pair must not be split.
    if (typeof part === "string" && to < part.length && isHighSurrogate(part.charCodeAt(to - 1))) to += 1;
    yield typeof part === "string" ? part.slice(from, to) : part.subarray(from, to);
    from = to;
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

/** Resolves on `drain` or `close`: a destroyed reply never drains. */
async function untilTaken(res: ServerResponse): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  res.once("drain", resolve).once("close", resolve);
  await promise;
  res.off("drain", resolve).off("close", resolve);
}
