import { Counter, Gauge, Registry } from "prom-client";
import { expect, test } from "vitest";
import { joinMetrics } from "./join-metrics.ts";

test("processes keep their values, each under its label", async () => {
  const metricsOf = async (process: string, count: number) => {
    const registers = [new Registry()];
    new Counter({ name: "calls_total", help: "Calls.", labelNames: ["route"], registers }).inc({ route: "r" }, count);
    if (process === "primary") new Gauge({ name: "only_here", help: "One.", registers, aggregator: "omit" }).set(1);
    return { process, metrics: (await registers[0]?.getMetricsAsJSON()) ?? [] };
  };
  const text = await joinMetrics([await metricsOf("primary", 1), await metricsOf("worker-1", 2)]);
  expect(text).toContain('calls_total{route="r",process="primary"} 1');
  expect(text).toContain('calls_total{route="r",process="worker-1"} 2');
  expect(text).toContain('only_here{process="primary"} 1');
});
