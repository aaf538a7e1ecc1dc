import { type AuditEvent, catalogue } from "@gatehouse/audit";
import { eventBody } from "./event-body.ts";
import type { ProjectName } from "./webhook.ts";

/** The part of an active webhook that events are matched with. */
export interface Subscription {
  readonly webhookId: number;
  readonly events: readonly string[];
  readonly activeSince: Date;
  readonly project: ProjectName;
}

/** An event for a webhook, not queued yet. */
export interface NewDelivery {
  readonly eventId: string;
  readonly webhookId: number;
  readonly event: string;
  readonly requestBody: string;
  readonly traceparent: string;
}

/** Whether an event is for webhooks of every project: one of the whole gateway, or of a new project, which has no webhooks yet. */
export function isForEveryProject({ event, project }: AuditEvent): boolean {
  return project === null || event === "project.created";
}

const aboutGateway: ReadonlySet<string> = new Set([
  ...Object.entries(catalogue).flatMap(([key, { about }]) => (about === "gateway" ? [key] : [])),
  "project.created",
]);

/** The given keys whose events are sent to webhooks of every project. */
export function keysForEveryProject(keys: readonly string[]): readonly string[] {
  return keys.filter((key) => aboutGateway.has(key));
}

/** A webhook is active only from its creation on. The times of both cannot tell, since one transaction takes both. */
function isCreationOf(webhookId: number, { event, metadata }: AuditEvent): boolean {
  return event === "webhook.created" && metadata["webhook_id"] === webhookId;
}

/**
 * One delivery for each event and each of its webhooks: in the event's project (in any project where {@link isForEveryProject}
 * holds), subscribed to its key, and active when it occurred.
 */
export function matchEvents(events: readonly AuditEvent[], subscriptions: readonly Subscription[]): NewDelivery[] {
  const byProject = Map.groupBy(subscriptions, ({ project }) => project.uuid);
  return events.flatMap((event) => {
    const candidates = isForEveryProject(event) ? subscriptions : (byProject.get(event.project?.uuid ?? "") ?? []);
    const occurredAt = new Date(event.occurredAt);
    return candidates
      .filter(({ events: keys, activeSince }) => keys.includes(event.event) && activeSince <= occurredAt)
      .filter(({ webhookId }) => !isCreationOf(webhookId, event))
      .map(({ webhookId, project }) => ({
        eventId: event.id,
        webhookId,
        event: event.event,
        requestBody: eventBody(event, project),
        traceparent: event.traceparent,
      }));
  });
}
