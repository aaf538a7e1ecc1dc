/** Changes that are stored at once in a row; further ones after a pause each. */
const changesMax = 5;
const pauseMs = 10_000;

/** Budget of the tool changes that one upstream stores, so that one that changes all the time costs the database little. */
export class ChangeBudget {
  #left = changesMax;
  #takenAtMs = Number.NEGATIVE_INFINITY;

  /** Takes a change from the budget, at monotonic milliseconds. @returns false where none is left */
  take(nowMs: number): boolean {
    const left = Math.min(changesMax, this.#left + (nowMs - this.#takenAtMs) / pauseMs);
    this.#takenAtMs = nowMs;
    this.#left = left >= 1 ? left - 1 : left;
    return left >= 1;
  }
}
