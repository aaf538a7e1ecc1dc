import { randomUUID } from "node:crypto";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { ATTR_SERVICE_INSTANCE_ID, ATTR_SERVICE_NAME } from "@opentelemetry/semantic-conventions";
import type { TraceSampling } from "@gatehouse/config";
import type { Registry } from "prom-client";
import { startMetricExport } from "./metric-export.ts";
import { createTracing } from "./otel-tracing.ts";
import type { Tracing } from "./tracing.ts";

export interface ExportOptions {
  readonly registry: Registry;
  readonly sampling: TraceSampling;
}

export interface Export {
  readonly tracing: Tracing;
  readonly shutdown: () => Promise<void>;
}

/**
 * Exports spans and the registry's metrics by OTLP over HTTP. The resource has the attributes of `OTEL_RESOURCE_ATTRIBUTES`; the
 * service's name is not among them, since one environment may be that of several services.
 */
export function openExport(service: string, { registry, sampling }: ExportOptions): Export {
  const resource = defaultResource()
    .merge(resourceFromAttributes({ [ATTR_SERVICE_INSTANCE_ID]: randomUUID() }))
    .merge(detectResources({ detectors: [envDetector] }))
    .merge(resourceFromAttributes({ [ATTR_SERVICE_NAME]: service }));
  const tracing = createTracing({
    sampling,
    resource,
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  const metrics = startMetricExport(registry, resource, new OTLPMetricExporter());
  return {
    tracing,
    shutdown: async () => void (await Promise.all([tracing.shutdown(), metrics.stop()])),
  };
}
