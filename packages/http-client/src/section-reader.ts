import { MalformedReply, ReplyHeadTooLarge } from "./client-error.ts";

const sectionEnd = "\r\n\r\n";
/** Memory for the first bytes of a split section. */
const firstBytes = 2_048;
const nothing = Buffer.alloc(0);
const carriageReturn = 0x0d;
const lineFeed = 0x0a;

/**
 * Collects the lines up to an empty one: a head, or the trailers. A section within one read, the usual case, is not copied; a
 * split one is copied once, however small its pieces are.
 */
export class SectionReader {
  readonly #bytesMax: number;
  /** Bytes of this reply's sections so far. */
  #bytesRead = 0;
  #collected = nothing;
  #length = 0;

  /** @param bytesMax largest size of all sections of a reply together */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Whether no byte of an incomplete section is held. */
  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** The first bytes of an incomplete section, at most `count`, as Latin-1. */
  startOf(count: number): string {
    return this.#collected.toString("latin1", 0, Math.min(count, this.#length));
  }

  /** Counts bytes that the caller has read itself. @throws ReplyHeadTooLarge */
  count(bytes: number): void {
    this.#bytesRead += bytes;
    if (this.#bytesRead > this.#bytesMax) throw new ReplyHeadTooLarge(this.#bytesMax);
  }

  /** Begins the first section of a reply. */
  reset(): void {
    this.#bytesRead = 0;
    this.#length = 0;
    this.#collected = nothing;
  }

  /**
   * Takes the next bytes of a section.
   * @returns the section as Latin-1 without its empty line, and where the rest begins in `bytes`; undefined for an incomplete one
   * @throws MalformedReply for a section that is too large, or that has a line end other than CRLF
   */
  read(bytes: Buffer): { readonly text: string; readonly restAt: number } | undefined {
    if (this.#length > 0) return this.#readMore(bytes);
    const end = bytes.indexOf(sectionEnd);
    if (end === -1 || end + sectionEnd.length > this.#bytesMax - this.#bytesRead) return this.#readMore(bytes);
    this.#bytesRead += end + sectionEnd.length;
    return { text: bytes.toString("latin1", 0, end), restAt: end + sectionEnd.length };
  }

  #readMore(bytes: Buffer): { readonly text: string; readonly restAt: number } | undefined {
    const left = this.#bytesMax - this.#bytesRead;
    const from = this.#length;
    this.#reserve(Math.min(from + bytes.length, left));
    const taken = bytes.copy(this.#collected, from, 0, left - from);
    this.#length += taken;
    const searchFrom = Math.max(0, from - sectionEnd.length + 1);
    const end = this.#collected.subarray(0, this.#length).indexOf(sectionEnd, searchFrom);
    if (end === -1) {
      refuseBareLineEnds(this.#collected, from, this.#length);
      if (taken < bytes.length) throw new ReplyHeadTooLarge(this.#bytesMax);
      return undefined;
    }
    const text = this.#collected.toString("latin1", 0, end);
    const restAt = end + sectionEnd.length - from;
    this.#bytesRead += end + sectionEnd.length;
    this.#length = 0;
    this.#collected = nothing;
    return { text, restAt };
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#collected.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(bytes, this.#collected.length * 2, firstBytes));
    this.#collected.copy(larger, 0, 0, this.#length);
    this.#collected = larger;
  }
}

/** Otherwise a peer with such line ends would be waited for until its time is over. */
function refuseBareLineEnds(bytes: Buffer, from: number, to: number): void {
  for (let at = bytes.indexOf(lineFeed, from); at !== -1 && at < to; at = bytes.indexOf(lineFeed, at + 1)) {
    if (at === 0 || bytes[at - 1] !== carriageReturn) throw new MalformedReply("A line does not end with CRLF.");
  }
}
