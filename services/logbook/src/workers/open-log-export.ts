import type { StreamMessage } from "@gatehouse/events";
import type { Part } from "@gatehouse/service";
import type { Logger } from "@gatehouse/telemetry";
import type { LogExport } from "../clients/log-export.ts";
import type { LogbookMetrics } from "../metrics.ts";
import { ExportQueue } from "./export-queue.ts";

interface LogExportSettings {
  readonly logExport: LogExport | undefined;
  /** Whether entries are kept nowhere else: they then wait with the broker until the collector has taken them. */
  readonly isOnlyCopy: boolean;
  /** The beginning of the oldest day that is kept. */
  readonly since: () => Date;
  readonly metrics: LogbookMetrics;
  readonly log: Logger;
}

interface OpenedLogExport {
  /** Absent where no collector gets the entries. */
  readonly handOn: ((messages: readonly StreamMessage[]) => Promise<void> | void) | undefined;
  readonly parts: readonly Part[];
}

/** The way of stored messages to the collector. Where they are rows too, storing does not wait for it. */
export function openLogExport({ logExport, isOnlyCopy, since, metrics, log }: LogExportSettings): OpenedLogExport {
  if (logExport === undefined) return { handOn: undefined, parts: [] };
  if (!isOnlyCopy) {
    const queue = new ExportQueue({ logExport, since, onDropped: (count) => metrics.unsentRequests(count), log });
    return { handOn: (messages) => queue.offer(messages), parts: [queue.part] };
  }
  const notices = () =>
    logExport.failure === undefined ? [] : [`log export: entries wait, since ${logExport.failure}`];
  return {
    handOn: async (messages) => await logExport.send(messages, since()),
    parts: [{ name: "log export", notices }],
  };
}
