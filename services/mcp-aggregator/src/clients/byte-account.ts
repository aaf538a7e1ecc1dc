/** Bytes that are held at a time, within a bound, and within that of a wider account. */
export class ByteAccount {
  readonly #bytesMax: number;
  readonly #wider: ByteAccount | undefined;
  #bytes = 0;

  constructor(bytesMax: number, wider?: ByteAccount) {
    this.#bytesMax = bytesMax;
    this.#wider = wider;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Holds more bytes, or fewer where `change` is negative. @returns false, and holds as before, where there is no room. */
  hold(change: number): boolean {
    if (change > 0 && this.#bytes + change > this.#bytesMax) return false;
    if (this.#wider?.hold(change) === false) return false;
    this.#bytes += change;
    return true;
  }
}
