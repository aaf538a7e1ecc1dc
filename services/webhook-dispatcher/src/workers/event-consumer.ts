import { isUuid } from "@gatehouse/admin";
import { type AuditEvent, isEventKey, readAuditEvent, type ReceivedEvent } from "@gatehouse/audit";
import { type Database, isRefusedData } from "@gatehouse/database";
import type { Consumer, StreamMessage } from "@gatehouse/events";
import type { Logger } from "@gatehouse/telemetry";
import { ingestEvents } from "../store/ingest-events.ts";

const batchSizeMax = 200;

/**
 * Consumes audit events: stores one delivery per event and webhook, also where an event arrives twice.
 * @param onStored receives the webhooks with waiting deliveries
 */
export function createEventConsumer(
  database: Database,
  log: Logger,
  onStored: (webhookIds: ReadonlySet<number>) => void,
): Consumer {
  const ingest = async (events: readonly AuditEvent[]): Promise<void> => {
    if (events.length === 0) return;
    try {
      onStored(await ingestEvents(database, events));
    } catch (err) {
      if (!isRefusedData(err)) throw err;
      const [only] = events;
      if (events.length === 1)
        return log.error({ event_id: only?.id }, "The database refused an audit event; no webhook gets it.");
      // One by one, so that the other events keep their order.
      for (const each of events) await ingest([each]);
    }
  };
  return {
    stream: "audit",
    name: "webhook-dispatcher",
    batchSizeMax,
    keepsOrder: true,
    async store(messages) {
      await ingest(messages.flatMap((message) => parseEvent(message, log)));
    },
  };
}

/** Skips and logs a message that is not an event, which would otherwise be redelivered endlessly. */
function parseEvent({ id, body }: StreamMessage, log: Logger): AuditEvent[] {
  const event = readAuditEvent(body);
  if (!(event instanceof Error) && isDeliverable(event)) return [event];
  log.error({ message_id: id }, "A message that is not an audit event was skipped.");
  return [];
}

function isDeliverable(received: ReceivedEvent): received is AuditEvent {
  const { id, event, project } = received;
  return isUuid(id) && isEventKey(event) && (project === null || isUuid(project.uuid));
}
