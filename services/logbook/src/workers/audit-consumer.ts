import { readAuditEvent } from "@gatehouse/audit";
import { type Database, isRefusedData } from "@gatehouse/database";
import type { Consumer } from "@gatehouse/events";
import type { Logger } from "@gatehouse/telemetry";
import type { ChainHead, SourcedRecord } from "../domain/audit-record.ts";
import { toSourcedRecord } from "../domain/sourced-record.ts";
import type { LogbookMetrics } from "../metrics.ts";
import { appendAudit } from "../store/append-audit.ts";

const batchSizeMax = 500;

/** Adds events to the chains of the audit log. */
export function createAuditConsumer(
  database: Database,
  metrics: LogbookMetrics,
  log: Logger,
  /** Receives the new heads of chains once they are committed. */
  onGrown: (heads: ReadonlyMap<string, ChainHead>) => void,
): Consumer {
  const setAside = (id: string, err: unknown): void => {
    metrics.refused("audit", 1);
    // Counts as stored, since another delivery would fail too. Its number stays missing, so every later verification names it.
    log.error({ err, event_id: id }, "An audit event could not be read or stored; it is missing from the audit log.");
  };

  const append = async (records: readonly SourcedRecord[]): Promise<void> => {
    if (records.length === 0) return;
    try {
      const { heads, takenNumbers } = await appendAudit(database, records);
      onGrown(heads);
      if (takenNumbers.length > 0) {
        log.error(
          { taken_numbers: takenNumbers },
          "Audit events have numbers that other events already have: a service's outbox was restored to an earlier state.",
        );
      }
      metrics.storedEvents(records.length);
    } catch (err) {
      if (!isRefusedData(err)) throw err;
      const [only] = records;
      if (records.length === 1 && only !== undefined) return setAside(only.record.eventId, err);
      // One after the other, so that the others keep their order.
      for (const each of records) await append([each]);
    }
  };

  return {
    stream: "audit",
    name: "logbook",
    batchSizeMax,
    keepsOrder: true,
    async store(messages) {
      const records: SourcedRecord[] = [];
      for (const { id, body, publisher } of messages) {
        const event = readAuditEvent(body);
        if (event instanceof Error) setAside(id, event);
        else records.push(toSourcedRecord(event, publisher));
      }
      await append(records);
    },
  };
}
