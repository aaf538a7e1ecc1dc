import { Counter, Gauge, type Registry } from "prom-client";
import type { Backlog } from "./outbox-store.ts";

/** Metrics of one service's outbox, updated by its relay. */
export interface OutboxMetrics {
  setBacklog(backlog: Backlog): void;
  /** @param again whether they had been published before. */
  addPublished(count: number, again: boolean): void;
}

/** Registers metrics; relays of one process share the registry, with the service's name as a label. */
export function createOutboxMetrics(registry: Registry, service: string): OutboxMetrics {
  const events = gauge(registry, "gatehouse_audit_outbox_events", "Audit events that wait in the outbox, by state.");
  const ages = gauge(
    registry,
    "gatehouse_audit_outbox_oldest_seconds",
    "Age of the oldest audit event that waits in the outbox, by state.",
  );
  const published = counter(
    registry,
    "gatehouse_audit_outbox_published_total",
    "Audit events published, by whether they had been published before.",
  );
  return {
    setBacklog({ unpublished, unpublishedAgeMs, unconfirmed, unconfirmedAgeMs }) {
      events.set({ service, state: "unpublished" }, unpublished);
      events.set({ service, state: "unconfirmed" }, unconfirmed);
      ages.set({ service, state: "unpublished" }, unpublishedAgeMs / 1_000);
      ages.set({ service, state: "unconfirmed" }, unconfirmedAgeMs / 1_000);
    },
    addPublished: (count, again) => published.inc({ service, again: String(again) }, count),
  };
}

function gauge(registry: Registry, name: string, help: string): Gauge<"service" | "state"> {
  const known = registry.getSingleMetric(name);
  if (known !== undefined) return known as Gauge<"service" | "state">;
  return new Gauge({ name, help, labelNames: ["service", "state"], registers: [registry] });
}

function counter(registry: Registry, name: string, help: string): Counter<"service" | "again"> {
  const known = registry.getSingleMetric(name);
  if (known !== undefined) return known as Counter<"service" | "again">;
  return new Counter({ name, help, labelNames: ["service", "again"], registers: [registry] });
}
