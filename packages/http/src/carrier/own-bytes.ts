/** Size of a slab, into which small parts are copied. */
const slabBytes = 4 * 1024;
/** A part that is at least this fraction of its read (one in `shareMax`) is not copied. */
const shareMax = 4;
const none = Buffer.alloc(0);

/**
 * Copies small parts of large reads, because a part retains its whole read until its reader takes it, and each read of a shared
 * connection has parts of many replies. Parts of one reply share slabs, so that a slow reader retains no other replies.
 */
export class OwnBytes {
  #slab = none;
  #usedBytes = 0;

  /** @returns the part, or a copy of it */
  keep(part: Buffer): Buffer {
    const bytes = part.length;
    if (bytes === 0 || bytes * shareMax >= part.buffer.byteLength) return part;
    if (this.#usedBytes + bytes > this.#slab.length) {
      // A separate slab: one from Node's buffer pool would retain as much memory as a whole read.
      this.#slab = Buffer.allocUnsafeSlow(Math.max(bytes, slabBytes));
      this.#usedBytes = 0;
    }
    const kept = this.#slab.subarray(this.#usedBytes, this.#usedBytes + bytes);
    this.#usedBytes += part.copy(kept);
    return kept;
  }
}
