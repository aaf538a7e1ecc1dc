import { Counter, type Registry } from "prom-client";
import type { Logger } from "./logger.ts";

/** Result of an export, as OpenTelemetry's exporters report it. */
interface ExportResult {
  /** 0 where the collector has accepted the batch. */
  readonly code: number;
  readonly error?: Error | undefined;
}

interface Exporter<Batch> {
  export(batch: Batch, done: (result: ExportResult) => void): void;
}

/** Logs and counts failed exports, which the SDK does not report. @returns a function that wraps an exporter */
export function createFailureReport(log: Logger, registry: Registry) {
  const failures = new Counter({
    name: "gatehouse_otlp_export_failures_total",
    help: "Exports of spans or metrics that the collector did not take; what was in them is left out.",
    labelNames: ["signal"],
    registers: [registry],
  });
  return <Batch>(exporter: Exporter<Batch>, signal: "spans" | "metrics"): void => {
    failures.inc({ signal }, 0);
    const send = exporter.export.bind(exporter);
    exporter.export = (batch, done) =>
      send(batch, (result) => {
        if (result.code !== 0) {
          failures.inc({ signal });
          const err = result.error ?? new Error("The collector did not take the batch.");
          log.warn({ err }, `An export of ${signal} to OTEL_EXPORTER_OTLP_ENDPOINT failed; its content is dropped.`);
        }
        done(result);
      });
  };
}
