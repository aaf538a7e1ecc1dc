import { setImmediate as nextTurn } from "node:timers/promises";
import { hotStreamBounds } from "./bounds.ts";

/** A part of a message on the stream, with its size. */
export interface Frame {
  readonly bytes: number;
  /** Whether it no longer has to be sent. */
  readonly isDropped?: boolean;
}

/**
 * Frames to be sent on a stream. Those of one turn of the event loop go out in one message; while the stream is blocked, frames
 * wait for the next message.
 */
export class FrameQueue<Item extends Frame> {
  #frames: Item[] = [];
  #waitingBytes = 0;
  #isEnded = false;
  #wake: (() => void) | undefined;

  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  push(frame: Item): void {
    this.#frames.push(frame);
    this.#waitingBytes += frame.bytes;
    this.#wake?.();
  }

  /** Ends the queue after the waiting frames. */
  end(): void {
    this.#isEnded = true;
    this.#wake?.();
  }

  /** The items of each message, until the queue is ended and empty. */
  async *batches(): AsyncGenerator<readonly Item[]> {
    for (;;) {
      if (this.#frames.length === 0) {
        if (this.#isEnded) return;
        await this.#untilPushed();
        // Waits for further frames of this turn.
        await nextTurn();
        continue;
      }
      const batch = this.#take();
      if (batch.length > 0) yield batch;
    }
  }

  #take(): readonly Item[] {
    const batch: Item[] = [];
    let taken = 0;
    let batchBytes = 0;
    for (const frame of this.#frames) {
      if (batchBytes > 0 && batchBytes + frame.bytes > hotStreamBounds.batchBytesMax) break;
      taken += 1;
      this.#waitingBytes -= frame.bytes;
      if (frame.isDropped === true) continue;
      batchBytes += frame.bytes;
      batch.push(frame);
    }
    this.#frames = taken === this.#frames.length ? [] : this.#frames.slice(taken);
    return batch;
  }

  async #untilPushed(): Promise<void> {
    await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#wake = undefined;
  }
}
