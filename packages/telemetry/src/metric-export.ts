import { type HrTime, ValueType } from "@opentelemetry/api";
import type { Resource } from "@opentelemetry/resources";
import {
  AggregationTemporality,
  DataPointType,
  type Histogram,
  type MetricData,
  type PushMetricExporter,
  type ResourceMetrics,
} from "@opentelemetry/sdk-metrics";
import type { Registry } from "prom-client";

/** Export interval: the default of OpenTelemetry's periodic reader. */
const exportIntervalMs = 60_000;

/**
 * Exports the metrics of a Prometheus registry by OTLP, under the same names, so that they are counted once. A failed export is
 * skipped; the next one has the sums.
 */
export function startMetricExport(
  registry: Registry,
  resource: Resource,
  exporter: PushMetricExporter,
): { readonly stop: () => Promise<void> } {
  const startTime = hrTimeNow();
  const send = async () => {
    const metrics = await collectMetrics(registry, startTime);
    const batch: ResourceMetrics = { resource, scopeMetrics: [{ scope: { name: "gatehouse" }, metrics }] };
    await new Promise<void>((resolve) => exporter.export(batch, () => resolve()));
  };
  const timer = setInterval(() => void send().catch(() => {}), exportIntervalMs).unref();
  return {
    async stop() {
      clearInterval(timer);
      await send().catch(() => {});
      await exporter.shutdown();
    },
  };
}

/** The registry's metrics in OpenTelemetry's form. Summaries, which have no current counterpart, are left out. */
export async function collectMetrics(registry: Registry, startTime: HrTime): Promise<MetricData[]> {
  const endTime = hrTimeNow();
  const all: readonly RegistryMetric[] = await registry.getMetricsAsJSON();
  return all.flatMap((metric) => toMetricData(metric, { startTime, endTime }));
}

interface RegistryMetric {
  readonly name: string;
  readonly help: string;
  readonly type: unknown;
  readonly values: readonly {
    readonly value: number;
    readonly labels: Readonly<Record<string, string | number | undefined>>;
    readonly metricName?: string;
  }[];
}

interface Times {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

function toMetricData(metric: RegistryMetric, times: Times): MetricData[] {
  const descriptor = { name: metric.name, description: metric.help, unit: "", valueType: ValueType.DOUBLE };
  const common = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE };
  const points = () => metric.values.map(({ value, labels }) => ({ ...times, attributes: labels, value }));
  switch (metric.type) {
    case "counter":
      return [{ ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: points() }];
    case "gauge":
      return [{ ...common, dataPointType: DataPointType.GAUGE, dataPoints: points() }];
    case "histogram":
      return [{ ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints: toHistograms(metric, times) }];
    default:
      return [];
  }
}

interface HistogramParts {
  readonly attributes: Record<string, string | number | undefined>;
  readonly boundaries: number[];
  readonly cumulative: number[];
  sum: number;
  count: number;
}

/** Converts Prometheus' form: a cumulative value for each bucket, and values for sum and count. */
function toHistograms({ name, values }: RegistryMetric, times: Times) {
  const series = new Map<string, HistogramParts>();
  for (const { value, labels, metricName } of values) {
    const { le, ...attributes } = labels;
    const key = JSON.stringify(attributes);
    const parts = series.get(key) ?? { attributes, boundaries: [], cumulative: [], sum: 0, count: 0 };
    series.set(key, parts);
    if (metricName === `${name}_sum`) parts.sum = value;
    else if (metricName === `${name}_count`) parts.count = value;
    else if (le !== "+Inf") {
      parts.boundaries.push(Number(le));
      parts.cumulative.push(value);
    }
  }
  return Array.from(series.values(), (parts) => ({
    ...times,
    attributes: parts.attributes,
    value: toHistogram(parts),
  }));
}

function toHistogram({ boundaries, cumulative, sum, count }: HistogramParts): Histogram {
  const counts = [...cumulative, count].map((value, at) => value - (cumulative[at - 1] ?? 0));
  return { buckets: { boundaries, counts }, sum, count };
}

function hrTimeNow(): HrTime {
  const nowMs = Date.now();
  return [Math.floor(nowMs / 1_000), (nowMs % 1_000) * 1_000_000];
}
