/** Units that the memory is made for at first. */
const lengthFirst = 1 << 16;
/** Units of the longest text that shares it, and what a reading has behind its end; longer ones get their own. */
const lengthMax = (1 << 20) + 128;
/** Readings of one text that are made of others in this memory: normalised, decoded, and normalised and decoded once more. */
const readingsMax = 4;

/** Units of a reading, and where they begin and end in the source. */
interface ReadingMemory {
  readonly codes: Uint16Array;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

/**
 * Memory that the readings of one text use and the readings of the next one use again: allocating and clearing it for every text
 * costs as much as reading the text. A reading stays valid until the next text is read with the same scratch, so it suits a
 * caller who is done with one text before the next. Contents are not cleared.
 */
export class ScratchBuffers {
  private readonly units = new Map<string, Uint16Array>();
  private readonly numbers = new Map<string, Int32Array>();
  private readonly bytes = new Map<string, Uint8Array>();
  private readonly floats = new Map<string, Float64Array>();
  private readings = 0;

  /** The next text is read; readings of the one before are not used any more. */
  startText(): void {
    this.readings = 0;
  }

  /** Memory of the next reading that is made of another; undefined for the later ones of a text. */
  nextReading(length: number): ReadingMemory | undefined {
    this.readings += 1;
    if (this.readings > readingsMax) return undefined;
    const name = `reading ${this.readings}`;
    return {
      codes: this.unitsOf(name, length),
      starts: this.numbersOf(`${name}, starts`, length),
      ends: this.numbersOf(`${name}, ends`, length),
    };
  }

  unitsOf(name: string, length: number): Uint16Array {
    return take(this.units, { name, length, make: (size) => new Uint16Array(size) });
  }

  numbersOf(name: string, length: number): Int32Array {
    return take(this.numbers, { name, length, make: (size) => new Int32Array(size) });
  }

  bytesOf(name: string, length: number): Uint8Array {
    return take(this.bytes, { name, length, make: (size) => new Uint8Array(size) });
  }

  floatsOf(name: string, length: number): Float64Array {
    return take(this.floats, { name, length, make: (size) => new Float64Array(size) });
  }
}

function take<Memory extends { readonly length: number }>(
  pool: Map<string, Memory>,
  wanted: { name: string; length: number; make: (size: number) => Memory },
): Memory {
  if (wanted.length > lengthMax) return wanted.make(wanted.length);
  let memory = pool.get(wanted.name);
  if (memory === undefined || memory.length < wanted.length) {
    memory = wanted.make(Math.max(lengthFirst, 2 ** Math.ceil(Math.log2(wanted.length))));
    pool.set(wanted.name, memory);
  }
  return memory;
}
