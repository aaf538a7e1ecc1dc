import { pause } from "@gatehouse/async";
import type { Consumer, JsMsg } from "@nats-io/jetstream";
import { natsBounds } from "./nats-bounds.ts";

/**
 * Keeps the order of a stream over a new attachment. Messages delivered before and not acknowledged are redelivered only after
 * `ackWaitMs`, and those that found no receiver at once, so newer ones would overtake them: until the broker has the acknowledgements
 * of all that were delivered before, each message waits for the one before it in the stream.
 */
export class OlderFirst {
  readonly #source: Pick<Consumer, "info">;
  /** Stream sequence of the last message delivered before. */
  readonly #lastOlder: number;
  /** Stream sequence up to which messages are stored, or were passed on to be stored. */
  #passed: number;
  readonly #held = new Map<number, JsMsg>();
  #isOver: boolean;

  private constructor(source: Pick<Consumer, "info">, range: { readonly stored: number; readonly lastOlder: number }) {
    this.#source = source;
    this.#passed = range.stored;
    this.#lastOlder = range.lastOlder;
    this.#isOver = range.stored >= range.lastOlder;
  }

  /** Queries the broker for delivered, unacknowledged messages; call before any message is requested. */
  static async of(source: Pick<Consumer, "info">): Promise<OlderFirst> {
    const { num_ack_pending: pending, delivered, ack_floor: floor } = await source.info();
    const lastOlder = pending > 0 ? delivered.stream_seq : floor.stream_seq;
    return new OlderFirst(source, { stored: floor.stream_seq, lastOlder });
  }

  /** Holds a message; returns false if it may be stored now. */
  takes(message: JsMsg): boolean {
    const { seq } = message;
    if (this.#isOver || seq <= this.#passed) return false;
    if (seq === this.#passed + 1) {
      this.#passed = seq;
      return false;
    }
    this.#held.set(seq, message);
    return true;
  }

  /**
   * Passes held messages on, in their order, as the ones before them are passed on here or stored by any process. Ends, with all that
   * are held, once those delivered before are stored, or after `olderWaitMs`. Messages held when `stopping` fires are left to the
   * broker.
   */
  async release(stopping: AbortSignal, store: (messages: readonly JsMsg[]) => void): Promise<void> {
    const beganMs = performance.now();
    while (!stopping.aborted && !this.#isOver) {
      const isLate = performance.now() - beganMs > natsBounds.olderWaitMs;
      const { ack_floor: floor } = await this.#source.info();
      if (stopping.aborted) return;
      this.#passed = Math.max(this.#passed, floor.stream_seq);
      this.#isOver = isLate || floor.stream_seq >= this.#lastOlder;
      const lifted = this.#lift();
      if (lifted.length > 0) store(lifted);
      if (this.#isOver) return;
      for (const message of this.#held.values()) message.working();
      await pause(natsBounds.olderLookMs, stopping);
    }
  }

  /** Takes out the held messages that follow what was passed on; at the end all. */
  #lift(): JsMsg[] {
    const lifted: JsMsg[] = [];
    for (const [seq, message] of [...this.#held].toSorted(([left], [right]) => left - right)) {
      if (!this.#isOver && seq > this.#passed + 1) break;
      this.#passed = Math.max(this.#passed, seq);
      this.#held.delete(seq);
      lifted.push(message);
    }
    return lifted;
  }
}
