const sizeBytesMin = 256;
const nothing = Buffer.alloc(0);

/** Appends bytes to one buffer that grows by doubling, so that many small pieces cost nothing extra. */
export class ByteSink {
  #buffer: Buffer = nothing;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(bytes: Buffer): void {
    if (bytes.length === 0) return;
    const length = this.#length + bytes.length;
    if (length > this.#buffer.length) {
      const grown = Buffer.allocUnsafe(Math.max(length, this.#buffer.length * 2, sizeBytesMin));
      this.#buffer.copy(grown, 0, 0, this.#length);
      this.#buffer = grown;
    }
    bytes.copy(this.#buffer, this.#length);
    this.#length = length;
  }

  /** Returns the bytes and empties the sink. */
  take(): Buffer {
    const bytes = this.#buffer.subarray(0, this.#length);
    this.#buffer = nothing;
    this.#length = 0;
    return bytes;
  }
}
