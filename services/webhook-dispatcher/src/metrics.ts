import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import { type DeliveryOutcome, secretFaultError } from "./domain/delivery.ts";

/** Metrics that the dispatcher of deliveries and the maintenance worker report. */
export interface DeliveryMetrics {
  observe(outcome: DeliveryOutcome): void;
  countInterrupted(count: number): void;
  /** @param read returns the number of deliveries in flight */
  observeInFlight(read: () => number): void;
  /** Sets the number of projects' root keys by the id of the key that seals them. */
  setRoots(counts: ReadonlyMap<string, number>): void;
}

/** Registers the metrics of deliveries. Labels contain no webhook or project, whose number is unbounded. */
export function createDeliveryMetrics(registry: Registry): DeliveryMetrics {
  const registers = [registry];
  const ended = new Counter({
    name: "gatehouse_webhook_deliveries_total",
    help: "Webhook deliveries that ended, by outcome.",
    labelNames: ["outcome"],
    registers,
  });
  const waited = new Histogram({
    name: "gatehouse_webhook_queue_seconds",
    help: "From an event's arrival to the start of its delivery.",
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 300],
    registers,
  });
  const took = new Histogram({
    name: "gatehouse_webhook_attempt_seconds",
    help: "Duration of one attempt.",
    buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const roots = new Gauge({
    name: "gatehouse_webhook_roots",
    help: "Root keys of projects, by the id of the key that seals them. A key may be dropped from the keyring at zero.",
    labelNames: ["key_id"],
    registers,
  });
  return {
    observe(outcome) {
      ended.inc({ outcome: outcomeLabel(outcome) });
      waited.observe(outcome.timing.queue / 1_000);
      took.observe(outcome.durationMs / 1_000);
    },
    countInterrupted: (count) => ended.inc({ outcome: "interrupted" }, count),
    observeInFlight: (read) => registerInFlight(registry, read),
    setRoots(counts) {
      roots.reset();
      for (const [keyId, count] of counts) roots.set({ key_id: keyId }, count);
    },
  };
}

function outcomeLabel({ success, httpStatus, error }: DeliveryOutcome): string {
  if (success) return "success";
  if (error === secretFaultError) return "secret_fault";
  return httpStatus === undefined ? "no_answer" : "refused";
}

function registerInFlight(registry: Registry, read: () => number): void {
  const gauge = new Gauge({
    name: "gatehouse_webhook_in_flight",
    help: "Deliveries that are being sent.",
    registers: [registry],
    collect() {
      this.set(read());
    },
  });
  gauge.set(0);
}
