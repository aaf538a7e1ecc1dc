import { ProviderError } from "../provider.ts";
import { wholeReplyBytesMax } from "./read-whole-reply.ts";

/** Blank lines, which end an event, in the three forms of line ends that streams have. */
const eventEnds = ["\n\n", "\r\n\r\n", "\r\r"] as const;
const endBytesMax = 4;

/** Bounds the size of each event of a stream: packages buffer an event to its end and parse it in one go. */
export class EventBound {
  readonly #provider: string;
  #bytes = 0;
  #tail: Uint8Array = new Uint8Array();

  constructor(provider: string) {
    this.#provider = provider;
  }

  /** @throws ProviderError `malformed` where the current event exceeds the bound */
  see(piece: Uint8Array): void {
    const seen = Buffer.concat([this.#tail, piece]);
    const ends = eventEnds.map((end) => {
      const at = seen.lastIndexOf(end);
      return at < 0 ? 0 : at + end.length;
    });
    const end = Math.max(...ends);
    this.#bytes = end === 0 ? this.#bytes + piece.length : seen.length - end;
    this.#tail = seen.subarray(Math.max(0, seen.length - endBytesMax + 1));
    if (this.#bytes <= wholeReplyBytesMax) return;
    throw new ProviderError("malformed", `${this.#provider} sent an event of more than ${wholeReplyBytesMax} bytes`);
  }
}
