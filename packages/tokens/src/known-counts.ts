import { BoundedCache, textDigest } from "@gatehouse/bounded-cache";

/** Counts of long texts by digest, so that what calls repeat is counted once. A tenant's counts are its secret: no other's calls get faster by them. */
export class KnownCounts {
  readonly #countsMax: number;
  readonly #counts: BoundedCache<string, number>;

  /** @param countsMax - Texts remembered, some 150 bytes each; 0 remembers none. */
  constructor(countsMax: number) {
    this.#countsMax = countsMax;
    this.#counts = new BoundedCache(Math.max(1, countsMax));
  }

  /** Keys of the texts; undefined for those that are counted each time. */
  keysOf(texts: readonly string[], tenant: string): readonly (string | undefined)[] {
    if (this.#countsMax === 0) return texts.map(() => undefined);
    return texts.map((text) => {
      const digest = textDigest(text);
      return digest && `${tenant} ${digest}`;
    });
  }

  find(key: string | undefined): number | undefined {
    return key === undefined ? undefined : this.#counts.get(key);
  }

  /** Remembers exact counts. */
  remember(key: string | undefined, count: number): void {
    if (key !== undefined) this.#counts.set(key, count);
  }
}
