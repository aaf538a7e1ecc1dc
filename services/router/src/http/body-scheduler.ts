import { FairQueue } from "@gatehouse/workers";

/** Bodies from this size on are processed one at a time while several projects send requests. */
export const turnBodyBytesMin = 256 * 1024;
/** Part of the time between two turns in which the event loop must have been idle, for a single project and beside others. */
const idleShareMin = { alone: 0.25, shared: 0.75 };
/** Bytes of bodies that are processed per second even if the event loop is busy. */
const busyBytesPerSecond = 8 * 1024 * 1024;
/** Longest time between two turns, whatever the size of the last body. */
const turnMsMax = 500;
/** Interval of checks for the next turn, and so the shortest time between two turns. */
const checkIntervalMs = 5;
/** Time after its last request for which a project counts as active. */
const neighbourMs = 1_000;
/** More than the bodies that a router can hold; beyond it, a body starts at once. */
const queueBounds = { entriesMax: 100_000, entriesPerTenantMax: 100_000 };

/** Time and event loop utilisation, as `performance` returns them. */
export interface LoopClock {
  now(): number;
  eventLoopUtilization(since?: LoopUse): LoopUse;
}

/** Event loop utilisation: busy time, idle time, and the busy part of both. */
interface LoopUse {
  readonly idle: number;
  readonly active: number;
  readonly utilization: number;
}

interface WaitingBody {
  readonly bytes: number;
  readonly start: () => void;
}

/**
 * Schedules parsing and judging of large complete bodies: round-robin over projects, the next one only after the event loop has
 * had time for other work. A project that is alone delays only its own requests, and waits less.
 */
export class BodyScheduler {
  readonly #clock: LoopClock;
  readonly #queue = new FairQueue<WaitingBody>(queueBounds);
  #lastTurn: LoopUse;
  #lastTurnMs = Number.NEGATIVE_INFINITY;
  #lastBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  /** The two projects with the latest requests, the later one first. */
  #newest = { tenant: "", seenMs: Number.NEGATIVE_INFINITY };
  #other = { tenant: "", seenMs: Number.NEGATIVE_INFINITY };

  constructor(clock: LoopClock = performance) {
    this.#clock = clock;
    this.#lastTurn = clock.eventLoopUtilization();
  }

  get waiting(): number {
    return this.#queue.size;
  }

  see(tenant: string): void {
    const seenMs = this.#clock.now();
    if (tenant !== this.#newest.tenant) {
      this.#other = this.#newest;
      this.#newest = { tenant, seenMs };
    }
    this.#newest.seenMs = seenMs;
  }

  /** Calls `start` when the body may be processed, possibly synchronously. */
  enter(tenant: string, bytes: number, start: () => void): void {
    const body = { bytes, start };
    if (this.#queue.size === 0 && this.#isFree()) return this.#begin(body);
    if (!this.#queue.add(tenant, body)) return start();
    this.#timer ??= setInterval(() => this.#check(), checkIntervalMs);
    return undefined;
  }

  #check(): void {
    if (this.#isFree()) {
      const body = this.#queue.take();
      if (body !== undefined) this.#begin(body);
    }
    if (this.#queue.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #begin({ bytes, start }: WaitingBody): void {
    this.#lastTurnMs = this.#clock.now();
    this.#lastTurn = this.#clock.eventLoopUtilization();
    this.#lastBytes = bytes;
    start();
  }

  #isFree(): boolean {
    const nowMs = this.#clock.now();
    const sinceMs = nowMs - this.#lastTurnMs;
    if (sinceMs < checkIntervalMs) return false;
    if (sinceMs >= Math.min(turnMsMax, (this.#lastBytes / busyBytesPerSecond) * 1_000)) return true;
    const isAlone = nowMs - this.#other.seenMs > neighbourMs;
    const idleShare = 1 - this.#clock.eventLoopUtilization(this.#lastTurn).utilization;
    return idleShare >= (isAlone ? idleShareMin.alone : idleShareMin.shared);
  }
}
