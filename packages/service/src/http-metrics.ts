import { PairHistogram } from "@gatehouse/telemetry";
import type { Registry } from "prom-client";

/** Histogram buckets of request durations, seconds. */
export const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

type ObserveRequest = (status: number, seconds: number) => void;

/** Registers the request metrics of a service's process; the router's are by route. */
export function createRequestMetrics(registry: Registry, service: string): ObserveRequest {
  const duration = new PairHistogram({
    registry,
    name: "gatehouse_http_request_duration_seconds",
    help: "Time from a request's arrival at a service to the end of its answer, by status.",
    labelNames: ["service", "status"],
    buckets: durationBuckets,
  });
  return (status, seconds) => duration.observe(service, status, seconds);
}
