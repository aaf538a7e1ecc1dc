import type { GatewayLog, GatewayLogEntry } from "./gateway-log-entry.ts";

/** A gateway log with its appended entries, oldest first. */
export interface RecordingGatewayLog extends GatewayLog {
  readonly entries: readonly GatewayLogEntry[];
}

/** Records appended entries for tests. */
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
