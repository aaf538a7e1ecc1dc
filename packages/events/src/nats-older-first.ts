import { pause } from "@gatehouse/async";
import type { Consumer, JsMsg } from "@nats-io/jetstream";
import { natsBounds } from "./nats-bounds.ts";

/**
 * Keeps the order of a stream over a new connection. Messages delivered before and not acknowledged are redelivered only after
 * `ackWaitMs`, so newer ones would overtake them: these are held until the broker has the acknowledgements of the older ones.
 */
export class OlderFirst {
  readonly #source: Pick<Consumer, "info">;
  /** Stream sequence of the last message delivered before. */
  readonly #lastOlder: number;
  readonly #held: JsMsg[] = [];
  #isOver: boolean;

  private constructor(source: Pick<Consumer, "info">, lastOlder: number | undefined) {
    this.#source = source;
    this.#lastOlder = lastOlder ?? 0;
    this.#isOver = lastOlder === undefined;
  }

  /** Queries the broker for delivered, unacknowledged messages; call before any message is requested. */
  static async of(source: Pick<Consumer, "info">): Promise<OlderFirst> {
    const { num_ack_pending: pending, delivered } = await source.info();
    return new OlderFirst(source, pending > 0 ? delivered.stream_seq : undefined);
  }

  /** Holds a message; returns false if it may be stored now. */
  takes(message: JsMsg): boolean {
    if (this.#isOver || message.seq <= this.#lastOlder) return false;
    this.#held.push(message);
    return true;
  }

  /**
   * Resolves with the held messages once any process has stored the older ones, or after `olderWaitMs`. Then holds no more.
   * Messages held when `stopping` fires are left to the broker.
   */
  async release(stopping: AbortSignal): Promise<readonly JsMsg[]> {
    const beganMs = performance.now();
    while (!stopping.aborted && !this.#isOver) {
      const isLate = performance.now() - beganMs > natsBounds.olderWaitMs;
      this.#isOver = isLate || (await this.#areStored());
      if (this.#isOver) break;
      for (const message of this.#held) message.working();
      await pause(natsBounds.olderLookMs, stopping);
    }
    return stopping.aborted ? [] : this.#held.splice(0);
  }

  async #areStored(): Promise<boolean> {
    const { ack_floor: floor } = await this.#source.info();
    return floor.stream_seq >= this.#lastOlder;
  }
}
