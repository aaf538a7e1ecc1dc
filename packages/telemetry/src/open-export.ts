import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { TraceSampling } from "@gatehouse/config";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { ATTR_SERVICE_INSTANCE_ID, ATTR_SERVICE_NAME } from "@opentelemetry/semantic-conventions";
import type { Registry } from "prom-client";
import { createFailureReport } from "./failure-report.ts";
import type { Logger } from "./logger.ts";
import { startMetricExport } from "./metric-export.ts";
import { createTracing } from "./otel-tracing.ts";
import type { Tracing } from "./tracing.ts";

/** Longest time for the last export: an unreachable or frozen collector must not delay the end of a process. */
const shutdownMsMax = 2_000;

/** Tracing with export, and its shutdown. */
export interface Export {
  readonly tracing: Tracing;
  readonly shutdown: () => Promise<void>;
}

/**
 * Exports spans and the registry's metrics by OTLP over HTTP. The resource has the attributes of `OTEL_RESOURCE_ATTRIBUTES`, but
 * not the service's name, since several services may share an environment. Each failed export is logged.
 */
export function openExport(service: string, registry: Registry, sampling: TraceSampling, log: Logger): Export {
  const resource = defaultResource()
    .merge(resourceFromAttributes({ [ATTR_SERVICE_INSTANCE_ID]: randomUUID() }))
    .merge(detectResources({ detectors: [envDetector] }))
    .merge(resourceFromAttributes({ [ATTR_SERVICE_NAME]: service }));
  const report = createFailureReport(log, registry);
  const spanExporter = new OTLPTraceExporter();
  const metricExporter = new OTLPMetricExporter();
  report(spanExporter, "spans");
  report(metricExporter, "metrics");
  const tracing = createTracing(sampling, [new BatchSpanProcessor(spanExporter)], resource);
  const metrics = startMetricExport(registry, resource, metricExporter);
  return {
    tracing,
    async shutdown() {
      // The provider rejects where its last batch fails, which has been reported.
      const sent = Promise.all([tracing.shutdown().catch(() => {}), metrics.stop()]);
      // The successor of a stopped process waits for its end, which a remaining timer would delay.
      const over = new AbortController();
      await Promise.race([sent, delay(shutdownMsMax, undefined, { signal: over.signal })]);
      over.abort();
    },
  };
}
