import type { Dispatcher } from "undici";

/** What every adapter needs to reach its provider. */
export interface ProviderConnection {
  readonly dispatcher: Dispatcher;
  readonly userAgent: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}
