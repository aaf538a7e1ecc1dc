import { BoundedCache, textDigest } from "@gatehouse/bounded-cache";

/**
 * Most texts of one call that are looked up, and their UTF-16 units together: digests are computed on the event loop, in about a
 * millisecond.
 */
const lookedUpMax = { texts: 2_048, units: 1_048_576 };

/** Cached counts of long texts by digest. Separate for each tenant, since faster calls would reveal another tenant's texts. */
export class KnownCounts {
  readonly #countsMax: number;
  readonly #counts: BoundedCache<string, number>;

  /** @param countsMax cached texts, some 150 bytes each; 0 disables the cache. */
  constructor(countsMax: number) {
    this.#countsMax = countsMax;
    this.#counts = new BoundedCache(Math.max(1, countsMax));
  }

  /** Keys of the texts; undefined for those that are counted each time. */
  keysOf(texts: readonly string[], tenant: string): readonly (string | undefined)[] {
    if (this.#countsMax === 0) return texts.map(() => undefined);
    let units = 0;
    return texts.map((text, index) => {
      units += text.length;
      if (index >= lookedUpMax.texts || units > lookedUpMax.units) return undefined;
      const digest = textDigest(text);
      return digest && `${tenant} ${digest}`;
    });
  }

  find(key: string | undefined): number | undefined {
    return key === undefined ? undefined : this.#counts.get(key);
  }

  remember(key: string | undefined, count: number): void {
    if (key !== undefined) this.#counts.set(key, count);
  }
}
