/** The two times of day a decision may need, milliseconds. */
export interface Clock {
  /** Since the epoch; may jump. For comparing with times that others wrote down. */
  readonly wallMs: () => number;
  /** Since some moment; never goes back. For ages and bounds. */
  readonly elapsedMs: () => number;
}

export const systemClock: Clock = { wallMs: () => Date.now(), elapsedMs: () => performance.now() };
