import { randomFillSync } from "node:crypto";

/** Ids made at once; their text, of 5 KB, is kept for as long as one of them is. */
const idsAtOnce = 128;
const idBytes = 16;
const idLength = 36;
/** Place of each byte's digits in an id; the hyphens are between them (RFC 9562, 4). */
const places = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34] as const;
const digits = Buffer.from("0123456789abcdef", "latin1");

/**
 * Random UUIDs (RFC 9562, version 4), each a part of one text. `randomUUID` joins each of twenty texts, which V8 keeps one by one
 * until the whole is read: 488 bytes instead of 76, and three times the time.
 */
export class CallIds {
  readonly #random = new Uint8Array(idsAtOnce * idBytes);
  readonly #text = Buffer.alloc(idsAtOnce * idLength, "-");
  #ids = "";
  #at = 0;

  next(): string {
    if (this.#at === this.#ids.length) this.#makeIds();
    const from = this.#at;
    this.#at += idLength;
    return this.#ids.slice(from, this.#at);
  }

  #makeIds(): void {
    randomFillSync(this.#random);
    for (let id = 0; id < idsAtOnce; id += 1) this.#writeId(id * idBytes, id * idLength);
    this.#ids = this.#text.toString("latin1");
    this.#at = 0;
  }

  #writeId(from: number, to: number): void {
    for (let at = 0; at < idBytes; at += 1) {
      const byte = withVersion(this.#random[from + at] ?? 0, at);
      const place = to + (places[at] ?? 0);
      this.#text[place] = digits[byte >> 4] ?? 0;
      this.#text[place + 1] = digits[byte & 15] ?? 0;
    }
  }
}

/** Sets the version and the variant, which are the first bits of two bytes (RFC 9562, 4.1 and 5.4). */
function withVersion(byte: number, at: number): number {
  if (at === 6) return (byte & 0x0f) | 0x40;
  return at === 8 ? (byte & 0x3f) | 0x80 : byte;
}
