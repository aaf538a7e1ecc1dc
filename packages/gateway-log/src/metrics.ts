import { Counter, Gauge, type Registry } from "prom-client";

export interface LogMetrics {
  published(entries: number): void;
  spilled(entries: number): void;
  dropped(entries: number): void;
}

export interface LogSizes {
  readonly entriesInMemory: () => number;
  readonly spillBytes: () => number;
}

/** Registers what a process's gateway log reports. */
export function createLogMetrics(registry: Registry, { entriesInMemory, spillBytes }: LogSizes): LogMetrics {
  const registers = [registry];
  const entries = new Counter({
    name: "gatehouse_gateway_log_entries_total",
    help: "Entries of the gateway log by what became of them: published, spilled to disk on the way, or dropped.",
    labelNames: ["outcome"],
    registers,
  });
  const waiting = new Gauge({
    name: "gatehouse_gateway_log_waiting_entries",
    help: "Entries of the gateway log that wait in memory.",
    registers,
    collect() {
      this.set(entriesInMemory());
    },
  });
  const spill = new Gauge({
    name: "gatehouse_gateway_log_spill_bytes",
    help: "Bytes of the gateway log that wait on disk.",
    registers,
    collect() {
      this.set(spillBytes());
    },
  });
  waiting.set(0);
  spill.set(0);
  return {
    published: (count) => entries.inc({ outcome: "published" }, count),
    spilled: (count) => entries.inc({ outcome: "spilled" }, count),
    dropped: (count) => entries.inc({ outcome: "dropped" }, count),
  };
}
