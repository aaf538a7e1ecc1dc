import type { Logger } from "@gatehouse/telemetry";
import type { Dispatcher } from "undici";

/** Connection of an adapter to its provider. */
export interface ProviderConnection {
  readonly dispatcher: Dispatcher;
  readonly log: Logger;
  readonly userAgent: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}
