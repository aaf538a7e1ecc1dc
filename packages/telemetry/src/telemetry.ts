import type { OtlpExport } from "@gatehouse/config";
import { Registry } from "prom-client";
import { createLogger, type Logger, type LogLevel } from "./logger.ts";
import { observeProcess } from "./process-metrics.ts";
import { type Tracing, untraced } from "./tracing.ts";

/** Logs, spans and metrics of a process, for every service. */
export interface Telemetry {
  readonly log: Logger;
  readonly tracing: Tracing;
  readonly metrics: Registry;
  /** Sends buffered data, within two seconds. */
  shutdown(): Promise<void>;
}

/** Creates the telemetry. The SDK is loaded only where it is used: it is a fifth of what a service loads before it starts. */
export async function createTelemetry(
  /** `service.name` of the resource and `service` of each log line. */
  service: string,
  logLevel: LogLevel,
  /** Present: spans and metrics are exported. The OTel SDK reads the address and the other `OTEL_*` variables itself. */
  otlp: OtlpExport | undefined,
): Promise<Telemetry> {
  const log = createLogger({ service, level: logLevel });
  const metrics = new Registry();
  observeProcess(metrics);
  if (otlp === undefined) return { log, tracing: untraced, metrics, shutdown: async () => {} };
  const { openExport } = await import("./open-export.ts");
  return { log, metrics, ...openExport(service, metrics, otlp.sampling, log) };
}

/** Telemetry for tests: silent, untraced, with a separate metrics registry. */
export function createSilentTelemetry(): Telemetry {
  const log = createLogger({ service: "test", level: "silent" });
  return { log, tracing: untraced, metrics: new Registry(), shutdown: async () => {} };
}
