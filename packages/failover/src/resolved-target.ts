import type { ProviderAddress } from "@gatehouse/providers";

/** One place where calls go. */
export interface Target {
  /** A provider's name. */
  readonly provider: string;
  readonly model: string;
  /** US dollars for a million tokens; absent means the price data set's. */
  readonly inputPricePerMillion?: number | undefined;
  readonly outputPricePerMillion?: number | undefined;
  /** Further tries at this target before the next one is asked; absent means none. */
  readonly retries?: number | undefined;
}

/** A target with all that a call to it needs, or the reason why it cannot be called. */
export type ResolvedTarget =
  | { readonly kind: "ready"; readonly target: Target; readonly address: ProviderAddress }
  | { readonly kind: "disabled"; readonly target: Target }
  /** Its provider was never made, or has no active credential where its kind needs one. */
  | { readonly kind: "misconfigured"; readonly target: Target; readonly problem: string };

/** A target that can be called: its provider is there, active, and has a credential that opens. */
export type ReadyTarget = Extract<ResolvedTarget, { kind: "ready" }>;
