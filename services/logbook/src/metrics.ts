import { Counter, Gauge, type Registry } from "prom-client";

/** Counters of stored and refused entries. */
export interface LogbookMetrics {
  storedRequests(count: number): void;
  storedEvents(count: number): void;
  refused(log: "gateway_log" | "audit", count: number): void;
  unsentRequests(count: number): void;
}

/** Gauges of events that are missing from the audit log. */
export interface GapMetrics {
  /** Events that services have numbered and that are not in the log, by service. */
  missingEvents(missing: ReadonlyMap<string, number>): void;
  gapSearch(isComplete: boolean): void;
}

/** Registers the logbook's counters. */
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

/** Registers the gauges of missing events. */
export function createGapMetrics(registry: Registry): GapMetrics {
  const registers = [registry];
  const missing = new Gauge({
    name: "gatehouse_audit_events_missing",
    help: "Audit events that a service has numbered and that are not in the log, by that service, of the first 100 gaps.",
    labelNames: ["service"],
    registers,
  });
  const complete = new Gauge({
    name: "gatehouse_audit_gap_search_complete",
    help: "1 where the last search for missing audit events has ended and is no more than three intervals old.",
    registers,
  });
  return {
    missingEvents(found) {
      missing.reset();
      for (const [service, count] of found) missing.set({ service }, count);
    },
    gapSearch: (isComplete) => complete.set(isComplete ? 1 : 0),
  };
}
