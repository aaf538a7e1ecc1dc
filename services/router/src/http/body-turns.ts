import { FairQueue } from "@gatehouse/workers";

/** Bodies from this size on are worked on one after the other. */
export const turnBodyBytesMin = 256 * 1024;
/** The part of the time between two turns in which the event loop must have had nothing to do. */
const idleShareMin = 0.75;
/** After this long the next turn comes however busy the event loop is. */
const turnMsMax = 500;
/** Interval between checks whether the next turn may come. */
const lookMs = 5;
/** More than the bodies that a router can hold; beyond, a body takes its turn at once. */
const queueBounds = { entriesMax: 100_000, entriesPerTenantMax: 100_000 };

/**
 * Gives large bodies that have come whole their turn to be parsed and judged: one of each project in turn, and the next only when the event
 * loop has had time for others since. So many bodies that come together are not worked on together.
 */
export class BodyTurns {
  readonly #queue = new FairQueue<() => void>(queueBounds);
  #lastTurn = performance.eventLoopUtilization();
  #lastTurnMs = -turnMsMax;
  #timer: NodeJS.Timeout | undefined;

  get waiting(): number {
    return this.#queue.size;
  }

  /** Calls `start` when it is the body's turn, perhaps before this returns. */
  enter(tenant: string, start: () => void): void {
    if (this.#queue.size === 0 && this.#isFree()) return this.#begin(start);
    if (!this.#queue.add(tenant, start)) return start();
    this.#timer ??= setInterval(() => this.#look(), lookMs);
    return undefined;
  }

  #look(): void {
    if (this.#isFree()) {
      const start = this.#queue.take();
      if (start !== undefined) this.#begin(start);
    }
    if (this.#queue.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #begin(start: () => void): void {
    this.#lastTurnMs = performance.now();
    this.#lastTurn = performance.eventLoopUtilization();
    start();
  }

  #isFree(): boolean {
    const sinceMs = performance.now() - this.#lastTurnMs;
    if (sinceMs >= turnMsMax) return true;
    if (sinceMs < lookMs) return false;
    return 1 - performance.eventLoopUtilization(this.#lastTurn).utilization >= idleShareMin;
  }
}
