import type { ProviderAddress } from "@gatehouse/providers";

/** Destination of calls. */
export interface Target {
  readonly provider: string;
  readonly model: string;
  /** US dollars per million tokens; absent for the price data set's. */
  readonly inputPricePerMillion?: number | undefined;
  readonly outputPricePerMillion?: number | undefined;
  /** Retries at this target before the next one; none when absent. */
  readonly retries?: number | undefined;
}

/** A target with everything needed for a call, or the reason why it cannot be called. */
export type ResolvedTarget =
  | { readonly kind: "ready"; readonly target: Target; readonly address: ProviderAddress }
  | { readonly kind: "disabled"; readonly target: Target }
  /** Its provider does not exist, or lacks an active credential that its kind needs. */
  | { readonly kind: "misconfigured"; readonly target: Target; readonly problem: string };

/** A callable target: its provider exists, is active, and has a credential that can be opened. */
export type ReadyTarget = Extract<ResolvedTarget, { kind: "ready" }>;
