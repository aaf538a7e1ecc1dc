/** Units that a reading has and one made of it has not: the way between the places of both. */
export class Removals {
  /** Place in the input behind each piece that lost units, ascending. */
  readonly #ends: number[] = [];
  /** Units lost up to there. */
  readonly #lost: number[] = [];

  /** Pieces come in the order of their places. */
  add(end: number, units: number): void {
    this.#ends.push(end);
    this.#lost.push((this.#lost.at(-1) ?? 0) + units);
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
    let [low, high] = [0, this.#ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBefore(middle)) low = middle + 1;
      else high = middle;
    }
    return this.#lost[low - 1] ?? 0;
  }
}
