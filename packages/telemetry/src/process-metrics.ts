import { performance } from "node:perf_hooks";
import { collectDefaultMetrics, Gauge, type Registry } from "prom-client";
import { loopDelayMetrics, observeLoopDelay } from "./loop-delay.ts";

/** Interval that disables prom-client's permanent sampling of the event loop's delay, which {@link observeLoopDelay} replaces. */
const neverMs = 2 ** 31 - 1;

/** Gauges with names of counters, which Prometheus' checker refuses. */
const misnamed = ["nodejs_active_handles_total", "nodejs_active_requests_total", "nodejs_active_resources_total"];

/** Registers `process_*` and `nodejs_*`: CPU, memory, files, event loop, garbage collection. */
export function observeProcess(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: neverMs });
  for (const name of [...misnamed, ...loopDelayMetrics]) registry.removeSingleMetric(name);
  observeLoopDelay(registry);
  let last = performance.eventLoopUtilization();
  const busy = new Gauge({
    name: "gatehouse_event_loop_busy_ratio",
    help: "Part of the time since the last reading in which the event loop was busy; 1 is a whole core.",
    registers: [registry],
    collect() {
      const now = performance.eventLoopUtilization();
      this.set(performance.eventLoopUtilization(now, last).utilization);
      last = now;
    },
  });
  busy.set(0);
}
