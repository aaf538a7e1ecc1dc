import type { Telemetry } from "@gatehouse/telemetry";
import { createProviderMetrics } from "./health-metrics.ts";
import { ProviderHealth } from "./provider-health.ts";

/** A target whose provider refuses its key or model. */
export interface TargetRefusal {
  readonly provider: string;
  readonly kind: string;
  readonly model: string;
  /** E.g. `status_401`. */
  readonly code: string;
}

/** The providers' health, with its changes in log and metrics; `onRefused` writes the audit event. */
export function createProviderHealth(
  { log, metrics }: Pick<Telemetry, "log" | "metrics">,
  now: () => number,
  onRefused: (refusal: TargetRefusal) => void,
): ProviderHealth {
  const health: ProviderHealth = new ProviderHealth({
    now,
    onTransition(provider, to, model) {
      counts.observeTransition(provider, to);
      log.warn({ provider, model, circuit: to }, "A provider's circuit breaker has changed.");
    },
    onRefused({ provider, kind, model, credentialUuid }, code) {
      onRefused({ provider, kind, model, code });
      log.warn(
        { provider, model, credential: credentialUuid, code },
        "A provider refuses a target: its key or its model has to be looked at. Calls go to the next target.",
      );
    },
  });
  const counts = createProviderMetrics(metrics, () => health.reports());
  return health;
}
