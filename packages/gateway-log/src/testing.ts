import type { GatewayLog, GatewayLogEntry } from "./gateway-log-entry.ts";

/** A gateway log with the entries that were appended, oldest first. */
export interface RecordingGatewayLog extends GatewayLog {
  readonly entries: readonly GatewayLogEntry[];
}

/** A gateway log that keeps what is appended, for tests of those who append. */
export function createRecordingGatewayLog(): RecordingGatewayLog {
  const entries: GatewayLogEntry[] = [];
  return {
    entries,
    append: (entry) => void entries.push(entry),
    notices: () => [],
    start: async () => {},
    stop: async () => {},
  };
}
