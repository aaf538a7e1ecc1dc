const minuteMs = 60_000;
/** Lists of one access token in a minute that count against no limit: clients list when they connect, and when tools change. */
export const freeListsPerMinute = 60;
/** Tokens that are counted at a time; the lists of others are not free. */
const tokensMax = 100_000;

/**
 * The lists that a token may ask for without being counted. A list costs little, but not nothing: what is asked for beyond counts
 * against the rate limits as a call does. Each replica counts by itself.
 */
export class FreeLists {
  readonly #wallNow: () => number;
  readonly #taken = new Map<number, number>();
  #minute = 0;

  /** @param wallNow Milliseconds since 1970. */
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
