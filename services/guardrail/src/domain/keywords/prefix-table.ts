/** Hashes of all beginnings of a sequence, from which that of any piece follows in constant time. Two lanes. */
interface PrefixHashes {
  readonly first: Int32Array;
  readonly second: Int32Array;
}

/** A sequence to search in. */
export interface Hashed {
  readonly symbols: Uint16Array;
  readonly hashes: PrefixHashes;
  /** Number of symbols. */
  readonly length: number;
}

/** Room for the hashes of this many symbols. */
export function prefixMemory(symbols: number): PrefixHashes {
  return { first: new Int32Array(symbols + 1), second: new Int32Array(symbols + 1) };
}

/**
 * Patterns, of which the longest at a place is found with a number of look-ups that grows with the logarithm of the longest
 * pattern's length: binary search on prefix lengths (Waldvogel et al., "Scalable High Speed IP Routing Lookups", 1997). Nested
 * patterns cost no more than others, and a pattern takes a few entries whatever its length; an automaton takes a state for
 * each symbol and a step for each nested ending.
 */
export class PrefixTable {
  /** Four numbers an entry: both lanes, the length of the prefix (0: free), and the longest pattern that it begins with, or -1. */
  #slots = new Int32Array(64 * 4);
  #count = 0;
  #mask = 63;
  readonly #top: number;
  /** From the patterns, which callers do not know: a text made to collide would hide a keyword. */
  readonly #bases: readonly [number, number];
  readonly #powers: readonly [Int32Array, Int32Array];
  readonly #patterns: readonly Uint16Array[];
  /** Per pattern: the longest other pattern that it begins with, or -1. */
  readonly #shorter: Int32Array;

  private constructor(patterns: readonly Uint16Array[]) {
    const longest = patterns.reduce((max, { length }) => Math.max(max, length), 1);
    this.#top = 1 << (31 - Math.clz32(longest));
    this.#bases = basesFor(patterns);
    this.#powers = [powersOf(this.#bases[0], longest), powersOf(this.#bases[1], longest)];
    this.#patterns = patterns;
    this.#shorter = new Int32Array(patterns.length).fill(-1);
  }

  /** A table of the patterns, made in steps. Of equal patterns the first counts. None may be empty. */
  static *of(patterns: readonly Uint16Array[]): Generator<void, PrefixTable> {
    const table = new PrefixTable(patterns);
    // Shorter ones first: an entry names the longest pattern before it, which must be known by then.
    const order = patterns.map((_, pattern) => pattern);
    order.sort((left, right) => (patterns[left]?.length ?? 0) - (patterns[right]?.length ?? 0));
    for (const pattern of order) {
      table.#add(pattern);
      yield;
    }
    return table;
  }

  /** Prepares the first `length` symbols to be searched in, in memory that has room for one more number than symbols. Linear. */
  hashed(symbols: Uint16Array, length = symbols.length, memory: PrefixHashes = prefixMemory(length)): Hashed {
    const { first, second } = memory;
    first[0] = 0;
    second[0] = 0;
    const [firstBase, secondBase] = this.#bases;
    let [one, two] = [0, 0];
    for (let index = 0; index < length; index += 1) {
      const symbol = (symbols[index] ?? 0) + 1;
      one = (Math.imul(one, firstBase) + symbol) | 0;
      two = (Math.imul(two, secondBase) + symbol) | 0;
      first[index + 1] = one;
      second[index + 1] = two;
    }
    return { symbols, hashes: memory, length };
  }

  /** The longest pattern that the sequence has at `start`, or -1. Constant time in the length of the sequence. */
  longestAt(sequence: Hashed, start: number): number {
    const limit = sequence.length - start;
    const found = this.#search(sequence, start, limit);
    return found === -1 ? -1 : this.#certain(sequence, start, found);
  }

  /** The longest other pattern that a pattern begins with, or -1. */
  shorterThan(pattern: number): number {
    return this.#shorter[pattern] ?? -1;
  }

  /** Hashes may agree by accident: the pattern itself, or the longest shorter one that is really there. */
  #certain({ symbols }: Hashed, start: number, found: number): number {
    for (let pattern = found; pattern !== -1; pattern = this.shorterThan(pattern)) {
      const wanted = this.#patterns[pattern] ?? symbols;
      let index = 0;
      while (index < wanted.length && wanted[index] === symbols[start + index]) index += 1;
      if (index === wanted.length) return pattern;
    }
    return -1;
  }

  #add(pattern: number): void {
    const sequence = this.hashed(this.#patterns[pattern] ?? new Uint16Array());
    const { length } = sequence;
    const known = this.#search(sequence, 0, length);
    if (known !== -1 && this.#patterns[known]?.length === length) return;
    this.#shorter[pattern] = known;
    let reached = 0;
    for (let step = this.#top; step > 0; step >>= 1) {
      if (reached + step > length) continue;
      reached += step;
      const best = reached === length ? pattern : this.#search(sequence, 0, reached);
      this.#insert({ ...this.#hashOf(sequence, 0, reached), length: reached, best });
    }
  }

  #search(sequence: Hashed, start: number, limit: number): number {
    let reached = 0;
    let best = -1;
    for (let step = this.#top; step > 0; step >>= 1) {
      if (reached + step > limit) continue;
      const { one, two } = this.#hashOf(sequence, start, reached + step);
      const slot = this.#slotOf({ one, two, length: reached + step });
      if (this.#slots[slot + 2] === 0) continue;
      reached += step;
      best = this.#slots[slot + 3] ?? -1;
    }
    return best;
  }

  #hashOf({ hashes: { first, second } }: Hashed, start: number, length: number): { one: number; two: number } {
    const [firstPowers, secondPowers] = this.#powers;
    const one = ((first[start + length] ?? 0) - Math.imul(first[start] ?? 0, firstPowers[length] ?? 0)) | 0;
    const two = ((second[start + length] ?? 0) - Math.imul(second[start] ?? 0, secondPowers[length] ?? 0)) | 0;
    return { one, two };
  }

  #insert(entry: { one: number; two: number; length: number; best: number }): void {
    if (this.#count * 2 > this.#mask) this.#grow();
    const slot = this.#slotOf(entry);
    if (this.#slots[slot + 2] === 0) this.#count += 1;
    this.#slots[slot] = entry.one;
    this.#slots[slot + 1] = entry.two;
    this.#slots[slot + 2] = entry.length;
    this.#slots[slot + 3] = entry.best;
  }

  /** Index of an entry, or of the free slot for it. */
  #slotOf({ one, two, length }: { one: number; two: number; length: number }): number {
    const mixed = Math.imul(one ^ (two >>> 7) ^ length, 0x9e37_79b1);
    let place = (mixed ^ (mixed >>> 15)) & this.#mask;
    for (;;) {
      const slot = place * 4;
      const known = this.#slots[slot + 2];
      if (known === 0) return slot;
      if (known === length && this.#slots[slot] === one && this.#slots[slot + 1] === two) return slot;
      place = (place + 1) & this.#mask;
    }
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Int32Array(old.length * 2);
    this.#mask = this.#mask * 2 + 1;
    for (let slot = 0; slot < old.length; slot += 4) {
      const length = old[slot + 2] ?? 0;
      if (length === 0) continue;
      const [one, two] = [old[slot] ?? 0, old[slot + 1] ?? 0];
      const target = this.#slotOf({ one, two, length });
      this.#slots.set(old.subarray(slot, slot + 4), target);
    }
  }
}

/** Two odd numbers that depend on every symbol (FNV-1a with two offsets). */
function basesFor(patterns: readonly Uint16Array[]): readonly [number, number] {
  let [one, two] = [0x811c_9dc5 | 0, 0x9747_b28c | 0];
  for (const pattern of patterns) {
    for (const symbol of pattern) {
      one = Math.imul(one ^ symbol, 0x0100_0193);
      two = Math.imul(two ^ symbol, 0x85eb_ca6b);
    }
    one = Math.imul(one ^ (one >>> 15), 0x2c1b_3c6d);
    two = Math.imul(two ^ (two >>> 13), 0x297a_2d39);
  }
  return [one | 1, two | 1];
}

function powersOf(base: number, count: number): Int32Array {
  const powers = new Int32Array(count + 1);
  let power = 1;
  for (let exponent = 0; exponent <= count; exponent += 1) {
    powers[exponent] = power;
    power = Math.imul(power, base);
  }
  return powers;
}
