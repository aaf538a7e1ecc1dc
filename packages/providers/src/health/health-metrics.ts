import { type CircuitState, circuitStates } from "@gatehouse/upstream-http";
import { Counter, Gauge, type Registry } from "prom-client";
import type { HealthReport } from "./provider-health.ts";

interface ProviderMetrics {
  observeTransition(provider: string, to: CircuitState): void;
}

/** Registers the metrics of the providers' health. Labels are bounded: configured providers, and states. */
export function createProviderMetrics(registry: Registry, reports: () => readonly HealthReport[]): ProviderMetrics {
  const transitions = new Counter({
    name: "gatehouse_chat_provider_circuit_transitions_total",
    help: "Changes of a provider's circuit breaker, by the state it changed to.",
    labelNames: ["provider", "to"],
    registers: [registry],
  });
  registerStateGauge(registry, reports);
  return { observeTransition: (provider, to) => transitions.inc({ provider, to }) };
}

function registerStateGauge(registry: Registry, reports: () => readonly HealthReport[]): void {
  const gauge = new Gauge({
    name: "gatehouse_chat_provider_circuit_state",
    help: "1 for the state that a provider's circuit breaker is in; only providers that have been called.",
    labelNames: ["provider", "state"],
    registers: [registry],
    collect() {
      this.reset();
      for (const { provider, state: current } of reports()) {
        for (const state of circuitStates) this.set({ provider, state }, state === current ? 1 : 0);
      }
    },
  });
  gauge.reset();
}
