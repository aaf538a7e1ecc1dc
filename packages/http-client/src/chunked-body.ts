import { MalformedReply } from "./client-error.ts";

/** Most hexadecimal digits of a chunk's size; more could not be counted exactly. */
const sizeDigitsMax = 12;
/** Longest extensions of one chunk, bytes. */
const extensionBytesMax = 4_096;

const carriageReturn = 0x0d;
const lineFeed = 0x0a;
const semicolon = 0x3b;
/** RFC 9112, section 7.1.1, without its "bad whitespace". */
const extensions =
  /^(?:;[!#$%&'*+.^_`|~0-9A-Za-z-]+(?:=(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+|"(?:[\t\u0020!\u0023-\u005b\u005d-\u007e]|\\[\t\u0020-\u007e])*"))?)+$/;

/** Decodes a body in chunks (RFC 9112, section 7.1) from pieces of any size. */
export class ChunkedBody {
  #expected: "size" | "extension" | "size-end" | "data" | "data-return" | "data-end" | "trailers" = "size";
  #digits = 0;
  /** Extensions of the current chunk, Latin-1. */
  #extensions = "";
  /** Bytes of the current chunk that have not arrived. */
  #left = 0;
  #restAt = 0;

  /** Whether the last chunk has been read; the trailers follow at `restAt` of the bytes read last. */
  get isOver(): boolean {
    return this.#expected === "trailers";
  }

  get restAt(): number {
    return this.#restAt;
  }

  reset(): void {
    this.#expected = "size";
    this.#digits = 0;
    this.#left = 0;
  }

  /**
   * Decodes the next bytes in place: the data of several chunks are moved together, so that a reader takes them as one piece.
   * @returns a part of `bytes`, which may be empty
   * @throws MalformedReply
   */
  read(bytes: Buffer): Buffer {
    let from = 0;
    let to = 0;
    let at = 0;
    while (at < bytes.length && this.#expected !== "trailers") {
      if (this.#expected !== "data") {
        this.#readFrame(bytes[at] ?? 0);
        at += 1;
        continue;
      }
      const end = Math.min(at + this.#left, bytes.length);
      if (from === to) {
        from = at;
        to = end;
      } else {
        bytes.copyWithin(to, at, end);
        to += end - at;
      }
      this.#left -= end - at;
      if (this.#left === 0) this.#expected = "data-return";
      at = end;
    }
    this.#restAt = at;
    return bytes.subarray(from, to);
  }

  #readFrame(byte: number): void {
    switch (this.#expected) {
      case "size":
        return this.#readSize(byte);
      case "extension":
        return this.#readExtension(byte);
      case "size-end":
        if (byte !== lineFeed) throw new MalformedReply("The line of a chunk's size does not end with CRLF.");
        this.#expected = this.#left === 0 ? "trailers" : "data";
        this.#digits = 0;
        return undefined;
      case "data-return":
        if (byte !== carriageReturn) throw new MalformedReply("A chunk is longer than its size.");
        this.#expected = "data-end";
        return undefined;
      case "data-end":
        if (byte !== lineFeed) throw new MalformedReply("A chunk is longer than its size.");
        this.#expected = "size";
        return undefined;
      case "data":
      case "trailers":
        return undefined;
    }
  }

  #readSize(byte: number): void {
    const digit = hexadecimalOf(byte);
    if (digit !== undefined) {
      this.#left = this.#left * 16 + digit;
      this.#digits += 1;
      if (this.#digits > sizeDigitsMax) throw new MalformedReply(`A chunk's size has over ${sizeDigitsMax} digits.`);
      return;
    }
    if (this.#digits === 0) throw new MalformedReply("A chunk has no size.");
    if (byte === carriageReturn) this.#expected = "size-end";
    else if (byte === semicolon) {
      this.#extensions = ";";
      this.#expected = "extension";
    } else throw new MalformedReply("A chunk's size has an invalid digit.");
  }

  #readExtension(byte: number): void {
    if (byte === carriageReturn) {
      if (!extensions.test(this.#extensions)) throw new MalformedReply("A chunk has an invalid extension.");
      this.#expected = "size-end";
      return;
    }
    this.#extensions += String.fromCharCode(byte);
    if (this.#extensions.length > extensionBytesMax) {
      throw new MalformedReply(`A chunk's extensions exceed ${extensionBytesMax} bytes.`);
    }
  }
}

function hexadecimalOf(byte: number): number | undefined {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : undefined;
}
