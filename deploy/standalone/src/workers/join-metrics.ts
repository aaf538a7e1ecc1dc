import { AggregatorRegistry } from "prom-client";

/** The answer of `Registry.getMetricsAsJSON` in one process. */
export interface MetricsOfProcess {
  /** The value of the label `process`. */
  readonly process: string;
  readonly metrics: readonly object[];
}

interface Metric {
  readonly values: readonly { readonly labels: Readonly<Record<string, string | number>> }[];
}

/** The metrics of several processes as one Prometheus text: each keeps its values, under the label of its process. */
export async function joinMetrics(processes: readonly MetricsOfProcess[]): Promise<string> {
  const labelled = processes.map(({ process, metrics }) =>
    (metrics as readonly Metric[]).map((metric) => ({
      ...metric,
      // No two values have the same labels, so that nothing is added up or left out.
      aggregator: "sum",
      values: metric.values.map((value) => ({ ...value, labels: { ...value.labels, process } })),
    })),
  );
  return await AggregatorRegistry.aggregate(labelled).metrics();
}
