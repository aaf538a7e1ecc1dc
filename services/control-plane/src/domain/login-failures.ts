/** Failed logins recorded per minute, of one address and in total; guessing must not flood the log. */
const recordedPerAddressMax = 5;
const recordedMax = 60;
/** Addresses remembered; the least recently used is evicted. */
const addressesMax = 10_000;
const windowMs = 60_000;

interface AddressWindow {
  readonly startMs: number;
  readonly recorded: number;
  /** Failures since the last recorded one, over all windows. */
  readonly unrecorded: number;
}

/** Whether a failed login is recorded, and how many of its address were not since the last one. */
type LoginFailureDecision = { readonly recorded: false } | { readonly recorded: true; readonly unrecorded: number };

/** Bounds the events of failed logins; unrecorded ones are counted in the next event of their address. */
export class LoginFailures {
  readonly #addresses = new Map<string, AddressWindow>();
  #startMs = Number.NEGATIVE_INFINITY;
  #recorded = 0;

  record(address: string, nowMs: number): LoginFailureDecision {
    if (nowMs - this.#startMs >= windowMs) {
      this.#startMs = nowMs;
      this.#recorded = 0;
    }
    const known = this.#addresses.get(address);
    const isOver = known === undefined || nowMs - known.startMs >= windowMs;
    const recorded = isOver ? 0 : known.recorded;
    const startMs = isOver ? nowMs : known.startMs;
    const unrecorded = known?.unrecorded ?? 0;
    if (recorded >= recordedPerAddressMax || this.#recorded >= recordedMax) {
      this.#keep(address, { startMs, recorded, unrecorded: unrecorded + 1 });
      return { recorded: false };
    }
    this.#recorded += 1;
    this.#keep(address, { startMs, recorded: recorded + 1, unrecorded: 0 });
    return { recorded: true, unrecorded };
  }

  #keep(address: string, window: AddressWindow): void {
    this.#addresses.delete(address);
    this.#addresses.set(address, window);
    const [oldest] = this.#addresses.keys();
    if (this.#addresses.size > addressesMax && oldest !== undefined) this.#addresses.delete(oldest);
  }
}
