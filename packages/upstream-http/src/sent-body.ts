import { Readable } from "node:stream";
import { isLarge, nextTurn } from "@gatehouse/pace";

/** Bytes that are handed to a connection at a time: what the kernel takes of them is copied in one go. */
const pieceBytes = 64 * 1_024;

/** A request's body in the form in which it is sent, and the headers that go with it. */
interface SentBody {
  readonly body: string | Uint8Array | Readable | null;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * A small body as it is; a large one piece by piece, as its receiver takes it, with other work between the pieces. Written in one go, it
 * would hold the event loop for as long as the kernel copies it, up to some tens of milliseconds.
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
