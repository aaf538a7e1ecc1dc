import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { PrincipalCacheCounts } from "./domain/principal-cache.ts";

/** What the request lanes report. */
export interface RequestMetrics {
  /** Requests that a lane is dealing with now. */
  inFlight: number;
  /** Counts one finished request under its route's id. */
  observe(route: string, status: number, seconds: number): void;
}

export interface RouterMetricsOptions {
  readonly registry: Registry;
  readonly caches: Readonly<Record<string, { readonly counts: PrincipalCacheCounts; readonly size: number }>>;
  readonly isWatchConnected: () => boolean;
}

const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

/** Registers the router's metrics. Labels are bounded: route ids of the table, and statuses. */
export function createRouterMetrics({ registry, caches, isWatchConnected }: RouterMetricsOptions): RequestMetrics {
  const registers = [registry];
  const requests = new Counter({
    name: "gatehouse_router_requests_total",
    help: "Requests answered, by route and status; status 499 where the client left first.",
    labelNames: ["route", "status"],
    registers,
  });
  const duration = new Histogram({
    name: "gatehouse_router_request_duration_seconds",
    help: "Time from a request's head to the end of its reply.",
    labelNames: ["route", "status"],
    buckets: durationBuckets,
    registers,
  });
  registerCacheMetrics(registry, caches);
  const metrics: RequestMetrics = {
    inFlight: 0,
    observe(route, status, seconds) {
      const labels = { route, status };
      requests.inc(labels);
      duration.observe(labels, seconds);
    },
  };
  registerGauge(registry, {
    name: "gatehouse_router_requests_in_flight",
    help: "Requests being dealt with now.",
    read: () => metrics.inFlight,
  });
  registerGauge(registry, {
    name: "gatehouse_router_watch_connected",
    help: "1 while changes to tokens are pushed by the control plane.",
    read: () => (isWatchConnected() ? 1 : 0),
  });
  return metrics;
}

function registerCacheMetrics(registry: Registry, caches: RouterMetricsOptions["caches"]): void {
  const lookups = new Counter({
    name: "gatehouse_router_principal_lookups_total",
    help: "How credentials were looked up: fresh or stale from the cache, known to be unknown, asked, or asked in vain.",
    labelNames: ["cache", "outcome"],
    registers: [registry],
    collect() {
      this.reset();
      for (const [cache, { counts }] of Object.entries(caches)) {
        for (const [outcome, count] of Object.entries(counts)) this.inc({ cache, outcome }, Number(count));
      }
    },
  });
  lookups.reset();
  const entries = new Gauge({
    name: "gatehouse_router_principal_cache_entries",
    help: "Credentials held in the cache.",
    labelNames: ["cache"],
    registers: [registry],
    collect() {
      for (const [cache, { size }] of Object.entries(caches)) this.set({ cache }, size);
    },
  });
  entries.reset();
}

interface GaugeOptions {
  readonly name: string;
  readonly help: string;
  readonly read: () => number;
}

function registerGauge(registry: Registry, { name, help, read }: GaugeOptions): void {
  const gauge = new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(read());
    },
  });
  gauge.set(0);
}
