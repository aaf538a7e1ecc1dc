/** Seeded randomness: the same seed gives the same training run on every machine. */
export interface Random {
  /** A float in [0, 1). */
  next(): number;
  /** A whole number in [0, limit). */
  below(limit: number): number;
  shuffle(values: number[]): void;
}

/** Mulberry32, a small generator with a full period of 2^32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b_79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  const shuffle = (values: number[]): void => {
    for (let index = values.length - 1; index > 0; index -= 1) {
      const other = below(index + 1);
      const value = values[index] ?? 0;
      values[index] = values[other] ?? 0;
      values[other] = value;
    }
  };
  return { next, below, shuffle };
}
