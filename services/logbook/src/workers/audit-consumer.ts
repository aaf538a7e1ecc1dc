import type { Database } from "@gatehouse/database";
import type { Consumer } from "@gatehouse/events";
import type { Logger } from "@gatehouse/telemetry";
import type { AuditRecord, ChainHead } from "../domain/audit-record.ts";
import { parseAuditEvent } from "../domain/parse-audit-event.ts";
import type { LogbookMetrics } from "../metrics.ts";
import { appendAudit } from "../store/audit-writer.ts";
import { isRefusal } from "../store/refusals.ts";

export interface AuditConsumerOptions {
  readonly database: Database;
  readonly metrics: LogbookMetrics;
  readonly log: Logger;
  /** Receives the new heads of chains once they are committed. */
  readonly onGrown: (heads: ReadonlyMap<string, ChainHead>) => void;
}

const batchSizeMax = 500;

/** Adds events to the chains of the audit log. */
export function createAuditConsumer({ database, metrics, log, onGrown }: AuditConsumerOptions): Consumer {
  const setAside = (id: string, err: unknown): void => {
    metrics.refused("audit", 1);
    // The relay that published it keeps it, and reports it as unconfirmed.
    log.error({ err, eventId: id }, "An audit event could not be read or stored; it was left out.");
  };

  const append = async (records: readonly AuditRecord[]): Promise<void> => {
    if (records.length === 0) return;
    try {
      onGrown(await appendAudit(database, records));
      metrics.storedEvents(records.length);
    } catch (err) {
      if (!isRefusal(err)) throw err;
      const [record] = records;
      if (records.length === 1 && record !== undefined) return setAside(record.eventId, err);
      // One after the other, so that the others keep their order.
      for (const each of records) await append([each]);
    }
  };

  return {
    stream: "audit",
    name: "logbook",
    batchSizeMax,
    async store(messages) {
      const records: AuditRecord[] = [];
      for (const { id, body } of messages) {
        try {
          records.push(parseAuditEvent(body));
        } catch (err) {
          setAside(id, err);
        }
      }
      await append(records);
    },
  };
}
