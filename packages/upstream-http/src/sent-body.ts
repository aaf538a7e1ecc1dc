import { Readable } from "node:stream";
import { isLarge, nextTurn } from "@gatehouse/pace";

/** Bytes written at a time: the kernel copies what it accepts in one go. */
const pieceBytes = 64 * 1_024;

interface SentBody {
  readonly body: string | Uint8Array | Readable | null;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * A small body unchanged; a large one in pieces as its receiver reads it, with other work in between. A single write would block
 * the event loop while the kernel copies it, up to some tens of milliseconds.
 */
export function toSentBody(body: string | Uint8Array | null): SentBody {
  if (body === null || !isLarge(body.length)) return { body, headers: {} };
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  return {
    body: Readable.from(piecesOf(bytes), { objectMode: false, highWaterMark: pieceBytes }),
    headers: { "content-length": String(bytes.length) },
  };
}

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += pieceBytes) {
    yield bytes.subarray(from, from + pieceBytes);
    await nextTurn();
  }
}
