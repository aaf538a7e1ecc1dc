/** Bytes held, within a bound and within that of a parent account. */
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

  /** Holds more bytes, or fewer where `change` is negative. @returns false, with nothing changed, where the bound is reached */
  hold(change: number): boolean {
    if (change > 0 && this.#bytes + change > this.#bytesMax) return false;
    if (this.#wider?.hold(change) === false) return false;
    this.#bytes += change;
    return true;
  }
}
