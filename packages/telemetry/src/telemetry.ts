import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { ATTR_SERVICE_NAME } from "@opentelemetry/semantic-conventions";
import { Registry } from "prom-client";
import { createLogger, type Logger, type LogLevel } from "./logger.ts";
import { createTracing, type Tracing, untraced } from "./tracing.ts";

/** What a process says about itself: logs, spans and metrics. Every service gets one. */
export interface Telemetry {
  readonly log: Logger;
  readonly tracing: Tracing;
  readonly metrics: Registry;
  /** Sends what is buffered; bounded by the exporter's own time-out. */
  shutdown(): Promise<void>;
}

export interface TelemetryOptions {
  /** `service.name` of the resource and `service` of each log line. */
  readonly service: string;
  readonly logLevel: LogLevel;
  /** Spans are recorded and exported by OTLP over HTTP only when set. The OTel SDK reads its other `OTEL_*` variables itself. */
  readonly otlpEndpoint: string | undefined;
}

export function createTelemetry({ service, logLevel, otlpEndpoint }: TelemetryOptions): Telemetry {
  const log = createLogger({ service, level: logLevel });
  const metrics = new Registry();
  if (otlpEndpoint === undefined) return { log, tracing: untraced, metrics, shutdown: async () => {} };

  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ [ATTR_SERVICE_NAME]: service }),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  const tracing = createTracing(provider.getTracer("gatehouse"));
  return { log, tracing, metrics, shutdown: async () => await provider.shutdown() };
}

/** Telemetry for tests: silent, untraced, with its own metrics registry. */
export function createSilentTelemetry(): Telemetry {
  const log = createLogger({ service: "test", level: "silent" });
  return { log, tracing: untraced, metrics: new Registry(), shutdown: async () => {} };
}
