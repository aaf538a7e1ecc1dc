/** Bytes that small parts are copied into together, until it is full. */
const slabBytes = 4 * 1024;
/** A part that is at least one of so many of what it was read with stays where it is. */
const shareMax = 4;
const none = Buffer.alloc(0);

/**
 * Copies the small parts of large reads: a part keeps the whole read in memory for as long as its reader leaves it untaken, and a
 * connection that calls share brings those of many in each read. Parts of one reply lie together, so that a reader holds no others.
 */
export class OwnBytes {
  #slab = none;
  #usedBytes = 0;

  /** @returns the part, or a copy of it */
  keep(part: Buffer): Buffer {
    const bytes = part.length;
    if (bytes === 0 || bytes * shareMax >= part.buffer.byteLength) return part;
    if (this.#usedBytes + bytes > this.#slab.length) {
      // A separate slab: one of Node's buffer pool would hold as much memory as a whole read.
      this.#slab = Buffer.allocUnsafeSlow(Math.max(bytes, slabBytes));
      this.#usedBytes = 0;
    }
    const kept = this.#slab.subarray(this.#usedBytes, this.#usedBytes + bytes);
    this.#usedBytes += part.copy(kept);
    return kept;
  }
}
