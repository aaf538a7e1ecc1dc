import { Counter, type Registry } from "prom-client";

export interface LogbookMetrics {
  storedRequests(count: number): void;
  storedEvents(count: number): void;
  refused(log: "gateway_log" | "audit", count: number): void;
  unsentRequests(count: number): void;
}

/** Registers what the logbook reports. */
export function createLogbookMetrics(registry: Registry): LogbookMetrics {
  const registers = [registry];
  const labelNames = ["log"] as const;
  const stored = new Counter({
    name: "gatehouse_logbook_stored_total",
    help: "Entries taken in, by log; an audit event that came twice counts twice.",
    labelNames,
    registers,
  });
  const refused = new Counter({
    name: "gatehouse_logbook_refused_total",
    help: "Entries, or messages, left out because no table, or no collector, takes them, by log.",
    labelNames,
    registers,
  });
  const unsent = new Counter({
    name: "gatehouse_logbook_export_dropped_total",
    help: "Entries of the gateway log that are stored and were not sent to the collector, which took too few.",
    registers,
  });
  return {
    storedRequests: (count) => stored.inc({ log: "gateway_log" }, count),
    storedEvents: (count) => stored.inc({ log: "audit" }, count),
    unsentRequests: (count) => unsent.inc(count),
    refused: (log, count) => refused.inc({ log }, count),
  };
}
