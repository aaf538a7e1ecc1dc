const minuteMs = 60_000;
/** Lists of one access token per minute that do not count against limits: clients list when they connect, and when tools change. */
export const freeListsPerMinute = 60;
/** Most tokens counted at a time; other tokens' lists are not free. */
const tokensMax = 100_000;

/**
 * Free lists of each token. A list costs little but not nothing, so further ones count against the rate limits like calls. Each
 * replica counts separately.
 */
export class FreeLists {
  readonly #wallNow: () => number;
  readonly #taken = new Map<number, number>();
  #minute = 0;

  /** @param wallNow milliseconds since 1970 */
  constructor(wallNow: () => number) {
    this.#wallNow = wallNow;
  }

  /** Whether one more list of this token is free. */
  take(tokenId: number): boolean {
    const minute = Math.floor(this.#wallNow() / minuteMs);
    if (minute !== this.#minute) this.#taken.clear();
    this.#minute = minute;
    const taken = this.#taken.get(tokenId) ?? 0;
    if (taken >= freeListsPerMinute || (taken === 0 && this.#taken.size >= tokensMax)) return false;
    this.#taken.set(tokenId, taken + 1);
    return true;
  }
}
