import { isUuid } from "@gatehouse/admin";
import { type AuditEvent, isEventKey } from "@gatehouse/audit";
import type { Database } from "@gatehouse/database";
import type { Consumer, StreamMessage } from "@gatehouse/events";
import type { Logger } from "@gatehouse/telemetry";
import { ingestEvents } from "../store/ingest.ts";

const batchSizeMax = 200;

/**
 * Takes audit events in: each becomes one delivery for each webhook that it is for, whatever comes twice.
 * @param onStored receives the webhooks that have deliveries waiting
 */
export function createEventConsumer(
  database: Database,
  log: Logger,
  onStored: (webhookIds: ReadonlySet<number>) => void,
): Consumer {
  return {
    stream: "audit",
    name: "webhook-dispatcher",
    batchSizeMax,
    keepsOrder: true,
    async store(messages) {
      const events = messages.flatMap((message) => parseEvent(message, log));
      if (events.length > 0) onStored(await ingestEvents(database, events));
    },
  };
}

/** A message that is no event would come back for ever: it is left out, and said so. */
function parseEvent({ id, body }: StreamMessage, log: Logger): AuditEvent[] {
  const event = parseJson(body);
  if (isEvent(event)) return [event];
  log.error({ message_id: id }, "A message that is no audit event was left out.");
  return [];
}

function parseJson(text: string): Partial<AuditEvent> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function isEvent(event: Partial<AuditEvent> | undefined): event is AuditEvent {
  return (
    event !== undefined &&
    isUuid(event.id ?? "") &&
    typeof event.event === "string" &&
    isEventKey(event.event) &&
    !Number.isNaN(Date.parse(event.occurredAt ?? "")) &&
    (event.project === null || isUuid(event.project?.uuid ?? ""))
  );
}
