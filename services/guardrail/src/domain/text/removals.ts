/** Pieces that there is room for at first. */
const piecesFirst = 16;

/** Units that a reading has and one made of it has not: the way between the places of both. */
export class Removals {
  /** Place in the input behind each piece that lost units, ascending. */
  #ends = new Int32Array(piecesFirst);
  /** Units lost up to there. */
  #lost = new Int32Array(piecesFirst);
  #count = 0;

  /** Pieces come in the order of their places. */
  add(end: number, units: number): void {
    const count = this.#count;
    if (count === this.#ends.length) {
      this.#ends = doubled(this.#ends);
      this.#lost = doubled(this.#lost);
    }
    this.#ends[count] = end;
    this.#lost[count] = (this.#lost[count - 1] ?? 0) + units;
    this.#count = count + 1;
  }

  /** Where a unit of the input is in the output; of a piece that lost units, at its end at the latest. */
  toOutput(index: number): number {
    return index - this.#lostBefore((piece) => (this.#ends[piece] ?? 0) <= index);
  }

  /** Where a unit of the output was in the input. */
  toInput(index: number): number {
    return index + this.#lostBefore((piece) => (this.#ends[piece] ?? 0) - (this.#lost[piece] ?? 0) <= index);
  }

  /** Units lost in the first pieces, all of which are before a place. */
  #lostBefore(isBefore: (piece: number) => boolean): number {
    let [low, high] = [0, this.#count];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBefore(middle)) low = middle + 1;
      else high = middle;
    }
    return this.#lost[low - 1] ?? 0;
  }
}

function doubled(numbers: Int32Array): Int32Array<ArrayBuffer> {
  const more = new Int32Array(numbers.length * 2);
  more.set(numbers);
  return more;
}
