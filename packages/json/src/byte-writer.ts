/** Most UTF-8 bytes of one UTF-16 unit. */
const bytesPerUnitMax = 3;
/** Room beyond what is asked for, for the little that follows a long part. */
const spareBytes = 4_096;

/** Bytes that are written part by part into one piece of memory, which grows: pieces would have to be joined. */
export class ByteWriter {
  #bytes = Buffer.alloc(0);
  #length = 0;

  /** Makes room for so many bytes that are to come. */
  reserve(bytes: number): void {
    const size = this.#length + Math.ceil(bytes);
    if (size <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(size + spareBytes, 2 * this.#length));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }

  /** Adds a text in UTF-8; a lone surrogate becomes U+FFFD. */
  addText(text: string): void {
    if (text === "") return;
    this.reserve(bytesPerUnitMax * text.length);
    this.#length += this.#bytes.write(text, this.#length);
  }

  addBytes(bytes: Buffer): void {
    this.reserve(bytes.length);
    this.#length += bytes.copy(this.#bytes, this.#length);
  }

  /** All bytes that were added. */
  end(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }
}
