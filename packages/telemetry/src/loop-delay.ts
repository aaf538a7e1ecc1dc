import { monitorEventLoopDelay } from "node:perf_hooks";
import { Gauge, type Registry } from "prom-client";

/** Sampling interval of the event loop's delay; each sample costs a timer. */
const sampleMs = 20;
/** Longest time between two readings of the metrics, after which sampling pauses. */
const readingGapMsMax = 300_000;
const nsPerSecond = 1e9;

type Monitor = ReturnType<typeof monitorEventLoopDelay>;
/** Delays since the last reset, in nanoseconds. */
type Delays = Pick<Monitor, "count" | "min" | "max" | "mean" | "stddev" | "percentile">;
/** Samples delays between `enable` and `disable`. */
export type DelayMonitor = Delays & Pick<Monitor, "enable" | "disable" | "reset">;

interface DelayFigure {
  readonly name: string;
  readonly help: string;
  /** Aggregation over several processes, in prom-client's terms. */
  readonly aggregator: "min" | "max" | "average";
  readonly of: (delays: Delays) => number;
}

const figures: readonly DelayFigure[] = [
  { name: "min", help: "The least delay", aggregator: "min", of: ({ min }) => min },
  { name: "max", help: "The greatest delay", aggregator: "max", of: ({ max }) => max },
  { name: "mean", help: "The mean delay", aggregator: "average", of: ({ mean }) => mean },
  { name: "stddev", help: "The standard deviation of delays", aggregator: "average", of: ({ stddev }) => stddev },
  ...[50, 90, 99].map((share): DelayFigure => ({
    name: `p${share}`,
    help: `The ${share}th percentile of delays`,
    aggregator: "average",
    of: (delays) => delays.percentile(share),
  })),
];

/** Names of the metrics that {@link observeLoopDelay} registers. */
export const loopDelayMetrics = figures.map(({ name }) => metricName(name));

/**
 * Registers the event loop's delay since the last reading, `nodejs_eventloop_lag_*`. Sampling wakes the process 50 times a
 * second, a third of an idle process's wake-ups, so it begins with the first reading, which therefore has no value, and pauses
 * without readings.
 */
export function observeLoopDelay(
  registry: Registry,
  delays: DelayMonitor = monitorEventLoopDelay({ resolution: sampleMs }),
): void {
  let isSampling = false;
  let pause: NodeJS.Timeout | undefined;
  const gauges: Gauge[] = [];
  const read = () => {
    if (isSampling && delays.count > 0) {
      for (const [at, { of }] of figures.entries()) gauges[at]?.set(of(delays) / nsPerSecond);
    }
    delays.reset();
    delays.enable();
    isSampling = true;
    pause ??= setTimeout(() => {
      delays.disable();
      isSampling = false;
      for (const gauge of gauges) gauge.remove();
    }, readingGapMsMax).unref();
    pause.refresh();
  };
  for (const [at, { name, help, aggregator }] of figures.entries()) {
    const gauge = new Gauge({
      name: metricName(name),
      help: `${help} of the event loop since the last reading.`,
      aggregator,
      registers: [registry],
      // Gauges are read in the order of their registration: the first one sets all.
      ...(at === 0 && { collect: read }),
    });
    gauge.remove();
    gauges.push(gauge);
  }
}

function metricName(figure: string): string {
  return `nodejs_eventloop_lag_${figure}_seconds`;
}
