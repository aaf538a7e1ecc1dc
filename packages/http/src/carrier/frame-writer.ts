import type { Socket } from "node:net";
import { encodeFrames, type Frame, sizeOf } from "./frames.ts";

/**
 * Writes frames in one piece for each run of work: those of one turn of the event loop are sent together in its check phase
 * (`inCheckPhase`).
 */
export class FrameWriter {
  readonly #socket: Socket;
  readonly #collect: () => void;
  #frames: Frame[] = [];
  #pendingBytes = 0;
  #isScheduled = false;
  readonly #onTick = () => this.#write();

  /** @param collect pushes further frames before a scheduled write */
  constructor(socket: Socket, collect: () => void = () => {}) {
    this.#socket = socket;
    this.#collect = collect;
  }

  get waitingBytes(): number {
    return this.#pendingBytes + this.#socket.writableLength;
  }

  push(frame: Frame): void {
    this.#frames.push(frame);
    this.#pendingBytes += sizeOf(frame);
    this.schedule();
  }

  schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    process.nextTick(this.#onTick);
  }

  #write(): void {
    this.#collect();
    this.#isScheduled = false;
    const frames = this.#frames;
    this.#frames = [];
    this.#pendingBytes = 0;
    if (frames.length > 0 && this.#socket.writable) this.#socket.write(encodeFrames(frames));
  }
}
