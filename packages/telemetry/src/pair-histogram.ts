import type { Histogram, MetricObjectWithValues, MetricValueWithName, Registry } from "prom-client";

type LabelValue = string | number;

interface PairHistogramOptions {
  readonly registry: Registry;
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly [first: string, second: string];
  /** Upper bounds of the buckets, ascending; each includes its bound. */
  readonly buckets: readonly number[];
}

/** Observations of one pair of label values. */
interface Series {
  readonly labels: Readonly<Record<string, LabelValue>>;
  /** Observations in each bucket alone. */
  readonly inBucket: number[];
  count: number;
  sum: number;
}

/**
 * Histogram with two labels, for what every call observes. Exported like one of prom-client, which makes a text of the labels at each
 * observation; here two look-ups find the counts. The label values must be few.
 */
export class PairHistogram {
  readonly name: string;
  readonly help: string;
  readonly type = "histogram";
  readonly aggregator = "sum";
  readonly #labelNames: PairHistogramOptions["labelNames"];
  readonly #buckets: readonly number[];
  readonly #series = new Map<LabelValue, Map<LabelValue, Series>>();

  constructor({ registry, name, help, labelNames, buckets }: PairHistogramOptions) {
    this.name = name;
    this.help = help;
    this.#labelNames = labelNames;
    this.#buckets = buckets;
    // Safe cast: a registry reads a metric's name, and calls `get` and `reset`.
    registry.registerMetric(this as unknown as Histogram);
  }

  /** Counts a finite value; others are left out, since one would spoil the sum. */
  observe(first: LabelValue, second: LabelValue, value: number): void {
    if (!Number.isFinite(value)) return;
    const series = this.#series.get(first)?.get(second) ?? this.#add(first, second);
    series.count += 1;
    series.sum += value;
    const bucket = this.#buckets.findIndex((bound) => value <= bound);
    if (bucket >= 0) series.inBucket[bucket] = (series.inBucket[bucket] ?? 0) + 1;
  }

  /** Labels of each series, and the number of its observations. */
  counts(): readonly Pick<Series, "labels" | "count">[] {
    return this.#all;
  }

  /** Values in prom-client's form: the buckets, which include all smaller ones, the sum and the count of each series. */
  async get(): Promise<Omit<MetricObjectWithValues<MetricValueWithName<string>>, "type" | "aggregator" | "collect">> {
    const values = this.#all.flatMap((series) => this.#export(series));
    return await Promise.resolve({ name: this.name, help: this.help, type: this.type, aggregator: "sum", values });
  }

  reset(): void {
    this.#series.clear();
  }

  get #all(): Series[] {
    return [...this.#series.values()].flatMap((bySecond) => [...bySecond.values()]);
  }

  #add(first: LabelValue, second: LabelValue): Series {
    const [firstName, secondName] = this.#labelNames;
    const labels = { [firstName]: first, [secondName]: second };
    const series: Series = { labels, inBucket: this.#buckets.map(() => 0), count: 0, sum: 0 };
    const bySecond = this.#series.get(first) ?? new Map<LabelValue, Series>();
    this.#series.set(first, bySecond.set(second, series));
    return series;
  }

  #export({ labels, inBucket, count, sum }: Series): MetricValueWithName<string>[] {
    const metricName = `${this.name}_bucket`;
    let below = 0;
    const buckets = this.#buckets.map((le, index) => {
      below += inBucket[index] ?? 0;
      return { labels: { le, ...labels }, value: below, metricName };
    });
    return [
      ...buckets,
      { labels: { le: "+Inf", ...labels }, value: count, metricName },
      { labels, value: sum, metricName: `${this.name}_sum` },
      { labels, value: count, metricName: `${this.name}_count` },
    ];
  }
}
