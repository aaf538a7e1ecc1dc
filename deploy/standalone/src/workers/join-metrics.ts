import { AggregatorRegistry } from "prom-client";

/** Result of `Registry.getMetricsAsJSON` in one process. */
export interface MetricsOfProcess {
  readonly process: string;
  readonly metrics: readonly object[];
}

interface Metric {
  readonly values: readonly { readonly labels: Readonly<Record<string, string | number>> }[];
}

/** Joins the metrics of several processes to one Prometheus text, with a label for the process. */
export async function joinMetrics(processes: readonly MetricsOfProcess[]): Promise<string> {
  const labelled = processes.map(({ process, metrics }) =>
    (metrics as readonly Metric[]).map((metric) => ({
      ...metric,
      // No two values have the same labels, so none are added up or left out.
      aggregator: "sum",
      values: metric.values.map((value) => ({ ...value, labels: { ...value.labels, process } })),
    })),
  );
  return await AggregatorRegistry.aggregate(labelled).metrics();
}
