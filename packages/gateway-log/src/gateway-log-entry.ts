import type { GatewayLogEntry } from "./log-columns.ts";

export type { LogDetails } from "./log-column.ts";
export type { GatewayLogEntry };

/** Log of answered requests, one entry per request, published to the logbook in batches. */
export interface GatewayLog {
  /** Returns at once and never throws. The entry is published within {@link gatewayLogBounds}'s flush interval. */
  append(entry: GatewayLogEntry): void;
  /** News for operators, shown by readiness. */
  notices(): readonly string[];
  start(): Promise<void>;
  /** Publishes the rest, within a bound; unpublished entries wait on disk for the next start. */
  stop(): Promise<void>;
}

/** For a process that cannot publish: outcomes are not recorded. */
export const noGatewayLog: GatewayLog = {
  append: () => {},
  notices: () => [],
  start: async () => {},
  stop: async () => {},
};
