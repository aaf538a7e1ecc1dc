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

/** Longest time for the last export: a collector that is away or frozen must not hold the end of a process. */
const shutdownMsMax = 2_000;

/** Tracing whose spans are exported, and the end of it. */
export interface Export {
  readonly tracing: Tracing;
  readonly shutdown: () => Promise<void>;
}

/**
 * Exports spans and the registry's metrics by OTLP over HTTP. The resource has the attributes of `OTEL_RESOURCE_ATTRIBUTES`; the
 * service's name is not among them, since one environment may be that of several services. The log has a line for each export that
 * fails.
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
      // The provider rejects where its last batch is not taken, which has been reported.
      const sent = Promise.all([tracing.shutdown().catch(() => {}), metrics.stop()]);
      // A process that has stopped listening has a successor that waits for its end, and a timer would hold that up too.
      const over = new AbortController();
      await Promise.race([sent, delay(shutdownMsMax, undefined, { signal: over.signal })]);
      over.abort();
    },
  };
}
