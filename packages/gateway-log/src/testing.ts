import type { StreamMessage } from "@gatehouse/events";
import type { GatewayLog, GatewayLogEntry } from "./gateway-log-entry.ts";
import { toMembers } from "./log-columns.ts";
import { LogBatch } from "./sealed-batch.ts";

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

/** Message of these entries, as a service publishes it; not encoded until its body is read. */
export function toLogMessage(entries: readonly GatewayLogEntry[]): StreamMessage {
  return new LogBatch(entries.map(toMembers));
}
