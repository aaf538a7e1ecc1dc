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
    const known = this.units.get(name);
    return known !== undefined && known.length >= length
      ? known
      : keep(this.units, { name, length, memory: new Uint16Array(roomFor(length)) });
  }

  numbersOf(name: string, length: number): Int32Array {
    const known = this.numbers.get(name);
    return known !== undefined && known.length >= length
      ? known
      : keep(this.numbers, { name, length, memory: new Int32Array(roomFor(length)) });
  }

  bytesOf(name: string, length: number): Uint8Array {
    const known = this.bytes.get(name);
    return known !== undefined && known.length >= length
      ? known
      : keep(this.bytes, { name, length, memory: new Uint8Array(roomFor(length)) });
  }

  floatsOf(name: string, length: number): Float64Array {
    const known = this.floats.get(name);
    return known !== undefined && known.length >= length
      ? known
      : keep(this.floats, { name, length, memory: new Float64Array(roomFor(length)) });
  }
}

/** Entries of new memory for a text of a length: those that share it grow by doubling. */
function roomFor(length: number): number {
  return length > lengthMax ? length : Math.max(lengthFirst, 2 ** Math.ceil(Math.log2(length)));
}

/** Keeps new memory for later texts, unless the text is too long for that. */
function keep<Memory>(
  pool: Map<string, Memory>,
  { name, length, memory }: { readonly name: string; readonly length: number; readonly memory: Memory },
): Memory {
  if (length <= lengthMax) pool.set(name, memory);
  return memory;
}
